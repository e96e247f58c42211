package session

import (
	"slices"
	"strings"
	"testing"
)

func TestCommandsSplitsACommandLine(t *testing.T) {
	for name, tt := range map[string]struct {
		line string
		want []string
	}{
		"one command":                            {"git push origin main", []string{"git push origin main"}},
		"more spaces count as one":               {"  git \t push  ", []string{"git push"}},
		"and, or, semicolon, pipe":               {"make && git push || echo no; ls | wc -l", []string{"make", "git push", "echo no", "ls", "wc -l"}},
		"in the background":                      {"make & git push", []string{"make", "git push"}},
		"lines":                                  {"make\ngit push\r\n", []string{"make", "git push"}},
		"a line that goes on":                    {"git \\\n  push", []string{"git push"}},
		"a sign in quotes is text":               {`echo "a && git push" 'b; git push'`, []string{"echo a && git push b; git push"}},
		"a quote in quotes":                      {`echo "say \"git push\"" && ls`, []string{`echo say "git push"`, "ls"}},
		"an escaped sign is text":                {`echo a\;git push`, []string{"echo a;git push"}},
		"quotes within a word":                   {`git pu"sh" 'or'igin`, []string{"git push origin"}},
		"an empty word":                          {`git commit -m ""`, []string{"git commit -m "}},
		"assignments before a command":           {"A=1 B='x y' git push C=3", []string{"git push C=3"}},
		"assignments alone":                      {"A=1; B=2", nil},
		"the folder of git":                      {"git -C web push", []string{"git push"}},
		"git's other options":                    {"git -c user.name=x --no-pager --git-dir web/.git push --force", []string{"git push --force"}},
		"the folder of a program":                {"/usr/bin/git push", []string{"git push"}},
		"sudo and env":                           {"sudo -u ada -E env -i A=1 git push", []string{"git push"}},
		"a time limit":                           {"timeout -k 5 20 git push && gtimeout --signal KILL 5 git pull", []string{"git push", "git pull"}},
		"other output buffers":                   {"stdbuf -o0 -e L git push", []string{"git push"}},
		"past the end of the terminal":           {"nohup git push & setsid git pull", []string{"git push", "git pull"}},
		"arguments from a file":                  {"echo x | xargs -0 -n 1 -I{} git push {}", []string{"echo x", "git push {}"}},
		"arguments for a script":                 {"xargs sh -c 'git push'", []string{"git push", "sh -c git push"}},
		"again and again":                        {"watch -n 5 'make && git push'", []string{"make", "git push", "watch -n 5 make && git push"}},
		"a text as a command":                    {`eval "git push" -f`, []string{"git push -f", "git push --force", "eval git push -f"}},
		"a time limit without a command":         {"timeout 20; timeout", nil},
		"on another machine":                     {"ssh host git push", []string{"ssh host git push"}},
		"sudo's long options":                    {"sudo --user ada git push", []string{"git push"}},
		"keywords":                               {"if make; then git push; fi", []string{"make", "git push", "fi"}},
		"a group and a subshell":                 {"{ make; }; (cd web && git push)", []string{"make", "}", "cd web", "git push"}},
		"a command in a command":                 {"echo $(git push) `make`", []string{"echo", "git push", "make"}},
		"a script":                               {`bash -lc "cd web && git push"`, []string{"cd web", "git push", "bash -lc cd web && git push"}},
		"redirections":                           {"git push >out 2>&1 </dev/null && make &>log", []string{"git push", "make"}},
		"a number that is a word":                {"git push 2 >out", []string{"git push 2"}},
		"a comment":                              {"make # git push\nls a#b", []string{"make", "ls a#b"}},
		"a here-document is text":                {"cat <<'END' >f\ngit push\nEND\nmake", []string{"cat", "make"}},
		"a here-document with tabs":              {"cat <<-END\n\tgit push\n\tEND\nmake", []string{"cat", "make"}},
		"a here-document without an end":         {"cat <<END\ngit push", []string{"cat"}},
		"the output of a command as a file":      {"diff <(git show) b", []string{"diff", "git show", "b"}},
		"a quotation without an end":             {`echo "git push; make`, []string{"echo git push; make"}},
		"a quotation of the shell's own":         {`echo $'a b'`, []string{"echo a b"}},
		"a variable is no command":               {"$GIT push", []string{"$GIT push"}},
		"a command in double quotes":             {`echo "at $(git push) and ` + "`make`" + `"`, []string{"echo at $(git push) and `make`", "git push", "make"}},
		"options before a subcommand":            {"kubectl -n prod delete pod x; terraform -chdir=x apply", []string{"kubectl -n prod delete pod x", "kubectl delete pod x", "terraform -chdir=x apply", "terraform apply"}},
		"short forms":                            {"npm i left-pad; git -C d push -f", []string{"npm i left-pad", "npm install left-pad", "git push -f", "git push --force"}},
		"a module of Python":                     {"python3 -m pip install x", []string{"python3 -m pip install x", "pip install x"}},
		"what a runner runs":                     {"npx --yes tsc; uv run pytest -q", []string{"npx --yes tsc", "tsc", "uv run pytest -q", "pytest -q"}},
		"nothing":                                {" \n;;&& ", nil},
		"an option of git that ends the command": {"git -C", []string{"git"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Commands(tt.line); !slices.Equal(got, tt.want) {
				t.Errorf("%q: got %q, want %q", tt.line, got, tt.want)
			}
		})
	}
}

func TestCommandsIsBounded(t *testing.T) {
	if got := Commands(strings.Repeat("a;", maxCommandLine)); len(got) != maxCommands {
		t.Errorf("%d commands, want %d", len(got), maxCommands)
	}
	if got := Commands("git push " + strings.Repeat("x", maxCommandLine)); len(got) != 1 || len(got[0]) != maxCommandText {
		t.Errorf("%d commands", len(got))
	}
	if got := Commands(strings.Repeat("x", maxCommandLine) + " ; git push"); len(got) != 1 {
		t.Errorf("%d commands", len(got))
	}
}

func TestMatchesCommand(t *testing.T) {
	for _, tt := range []struct {
		glob, command string
		want          bool
	}{
		{"git push*", "git push", true},
		{"git push*", "git push origin main", true},
		{"git push*", "echo git push", false},
		{"git push", "git push origin", false},
		{"git  push *", "git push origin", true},
		{"*deploy*", "make deploy-web", true},
		{"npm ? x", "npm i x", true},
		{"npm ? x", "npm ci x", false},
		{"**", "anything", true},
		{"*a*b", "xaxbxab", true},
		{"*a*b", "xaxbxa", false},
		{"", "git", false},
		{" ", "", false},
	} {
		if got := MatchesCommand([]string{"no such thing", tt.glob}, tt.command); got != tt.want {
			t.Errorf("%q on %q: got %v", tt.glob, tt.command, got)
		}
	}
}

// FuzzCommands: a command has single spaces between words that the line holds, whatever the
// line is, and a glob of the command itself matches it.
func FuzzCommands(f *testing.F) {
	for _, seed := range []string{"git push", "a && b | c; d\ne", `echo "x \" y" 'z'`, "cat <<E\nx\nE\n", "A=1 sudo -u x git -C y push 2>&1", `sh -c 'sh -c "a b"'`, "$(x) `y` <(z) \\", "\x00'\"<<-"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		found := Commands(line)
		if len(found) > maxCommands {
			t.Fatalf("%d commands", len(found))
		}
		for _, command := range found {
			if command == "" || len(command) > maxCommandText {
				t.Errorf("a command of %d bytes", len(command))
			}
			for _, c := range []byte(command) {
				if c != ' ' && strings.IndexByte(line, c) < 0 {
					t.Errorf("%q is not in the line", c)
				}
			}
			if plain := !strings.ContainsAny(command, "*?") && strings.Join(strings.Fields(command), " ") == command; plain && !MatchesCommand([]string{command}, command) {
				t.Errorf("%q does not match itself", command)
			}
		}
	})
}
