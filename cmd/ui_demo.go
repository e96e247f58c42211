package cmd

import (
	"bytes"
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/term"
)

// demoLines make the memories of `memctl ui --demo`: how many days ago, then the words of a command of memctl or git, with tabs
// between them. A last word that begins with < is its standard input.
//
//go:embed demo.txt
var demoLines string

// demoPlace is the name of the made project.
const demoPlace = "shop"

// enterDemo makes a store in a temporary folder and lets this process see nothing else: its environment names no other home,
// repository or setting. leave removes the folder.
func (a *app) enterDemo(ctx context.Context) (leave func(), err error) {
	now, err := a.clock()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "memctl-demo-")
	if err != nil {
		return nil, err
	}
	leave = func() {
		_ = os.Chdir(filepath.Dir(dir)) // a folder in which a process is cannot be removed everywhere
		_ = os.RemoveAll(dir)
	}
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "MEMCTL_") && name != envNow {
			_ = os.Unsetenv(name)
		}
	}
	own := map[string]string{"HOME": "home", "USERPROFILE": "home", "XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config", "LOCALAPPDATA": "data", "APPDATA": "config", "GIT_CONFIG_GLOBAL": "gitconfig"}
	for name, folder := range own {
		own[name] = filepath.Join(dir, folder)
		_ = os.Setenv(name, own[name])
	}
	_ = os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	place := filepath.Join(dir, demoPlace)
	if err = os.MkdirAll(place, 0o700); err == nil {
		err = os.Chdir(place)
	}
	a.global.dir, a.global.store = "", ""
	for line := range strings.Lines(demoLines) {
		if err == nil {
			err = a.runDemo(ctx, own, now(), strings.Split(strings.TrimRight(line, "\n"), "\t"))
		}
	}
	if err != nil {
		leave()
	}
	return leave, err
}

// runDemo runs one line of demoLines, as a person's command of that day.
func (a *app) runDemo(ctx context.Context, env map[string]string, now time.Time, words []string) error {
	days, err := strconv.Atoi(words[0])
	if err != nil {
		return err
	}
	input := ""
	if last := words[len(words)-1]; strings.HasPrefix(last, "<") {
		words, input = words[:len(words)-1], last[1:]
	}
	if words[1] == "git" {
		return exec.CommandContext(ctx, "git", words[2:]...).Run()
	}
	day := now.AddDate(0, 0, -days).UTC().Format(time.RFC3339)
	for _, name := range []string{"GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"} {
		_ = os.Setenv(name, day)
		defer os.Unsetenv(name)
	}
	var said bytes.Buffer
	one := &app{streams: term.Streams{In: strings.NewReader(input), Out: &said, Err: &said}, parts: a.parts, heedSignals: a.heedSignals, getenv: func(name string) string {
		if name == envNow {
			return day
		}
		return env[name]
	}}
	if err := one.execute(ctx, words[1:]); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return broken("demo", strings.Join(words[1:], " ")+": "+err.Error()+" "+said.String())
	}
	return nil
}
