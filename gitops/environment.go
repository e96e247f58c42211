package gitops

import (
	"cmp"
	"os"
	"runtime"
	"slices"
	"strings"
)

// unwantedVariables would make git prompt, open something, or answer in
// another form. Without GPG_TTY and a display, gpg fails at once instead of
// asking for a passphrase behind a person's back.
var unwantedVariables = []string{
	"GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_ASKPASS", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE",
	"GPG_TTY", "DISPLAY", "WAYLAND_DISPLAY", "LC_ALL", "LANGUAGE", "GIT_TERMINAL_PROMPT",
	"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
	"GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_OPTIONAL_LOCKS", "GIT_FLUSH",
}

// Environ returns this process's environment without what Gemini CLI adds for the commands that
// it runs: a GIT_CONFIG_GLOBAL and a GIT_CONFIG_SYSTEM of os.DevNull, which would hide the
// person's identity and memctl's settings. Git then reads its usual files. A person who
// hides those files from git outside that shell is left alone.
func Environ() []string {
	env := os.Environ()
	if os.Getenv("GEMINI_CLI") == "" {
		return env
	}
	return slices.DeleteFunc(env, func(kv string) bool {
		return kv == "GIT_CONFIG_GLOBAL="+os.DevNull || kv == "GIT_CONFIG_SYSTEM="+os.DevNull
	})
}

// Home returns the home folder, in which git has its settings; "" if the environment does not name one.
func Home(getenv func(string) string) string { return homeOn(runtime.GOOS, getenv) }

func homeOn(system string, getenv func(string) string) string {
	home := getenv("HOME")
	if system == "windows" { // where usually only Git Bash sets HOME
		home = cmp.Or(home, getenv("USERPROFILE"))
	}
	return home
}

// UnpromptedEnvironment is the environment for git: without the named variables, and without
// those that would make git prompt or answer in another form.
func UnpromptedEnvironment(without ...string) []string {
	var env []string
	for _, kv := range Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.Contains(unwantedVariables, name) && !slices.Contains(without, name) {
			env = append(env, kv)
		}
	}
	return append(env,
		"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true",
		"GIT_ASKPASS=true", "SSH_ASKPASS=true", "SSH_ASKPASS_REQUIRE=never")
}
