package cmd

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// versionJSON is the object that version prints.
type versionJSON struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Date     string `json:"date,omitempty"` // of the commit, RFC 3339 in UTC
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Version prints memctl's version, the commit it was built from, and Go's version.
--json has the commit's date as well.`,
		Example: `  memctl version --json`,
		RunE: a.runner(needNothing, func(s *session, _ []string) error {
			v := buildVersion()
			if s.global.json {
				return s.printJSON(v)
			}
			program := "memctl"
			if s.parts.Dial != nil {
				program = fullName // memctl recognises memctl-full by this word
			}
			return s.print(v.text(program))
		}),
	}
}

// buildVersion is what the linker recorded.
func buildVersion() versionJSON {
	v := versionJSON{Version: "(devel)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Date = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

func (v versionJSON) text(program string) string {
	text := program + " " + v.Version
	if v.Commit != "" {
		text += " (" + short(v.Commit)
		if v.Modified {
			text += ", modified"
		}
		text += ")"
	}
	return text + " " + v.Go + " " + v.OS + "/" + v.Arch + "\n"
}
