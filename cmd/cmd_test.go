package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/term"
	"github.com/memctl/memctl/memory"
)

// call runs one command line without a terminal.
func call(t *testing.T, in string, args ...string) (status int, out, talk string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = Main(args, term.Streams{In: strings.NewReader(in), Out: &stdout, Err: &stderr}, FullParts{})
	return status, stdout.String(), stderr.String()
}

// testApp is an app that writes into the buffers.
func testApp(env map[string]string) (a *app, out, talk *bytes.Buffer) {
	out, talk = &bytes.Buffer{}, &bytes.Buffer{}
	return &app{
		streams: term.Streams{In: strings.NewReader(""), Out: out, Err: talk},
		getenv:  func(name string) string { return env[name] },
	}, out, talk
}

func TestWrongUse(t *testing.T) {
	t.Setenv("MSYSTEM", "MINGW64") // hints are for Git Bash, on Windows
	tests := map[string]struct {
		args []string
		want string // all of stderr
	}{
		"an unknown command names the nearest": {
			[]string{"shwo"},
			"memctl: error: \"shwo\": no such command\nmemctl: hint: memctl show\n",
		},
		"one that is near nothing names help": {
			[]string{"frobnicate"},
			"memctl: error: \"frobnicate\": no such command\nmemctl: hint: memctl help\n",
		},
		"a flag of help names the list of all commands": {
			[]string{"help", "--all"},
			"memctl: error: \"--all\": no such flag\nmemctl: hint: memctl help all\n",
		},
		"an unknown flag names the nearest": {
			[]string{"add", "a.b", "c", "--tga", "x"},
			"memctl: error: \"--tga\": no such flag\nmemctl: hint: memctl add --tag\n",
		},
		"an unknown flag before an unknown command is not in its way": {
			[]string{"--quiet", "frobnicate", "--x"},
			"memctl: error: \"frobnicate\": no such command\n",
		},
		"an empty command": {
			[]string{""},
			"memctl: error: no such command\nmemctl: hint: memctl help\n",
		},
		"a value that looks like a flag": {
			[]string{"add", "a.b", "-5"},
			"memctl: error: \"-5\": no such flag; a value that begins with - goes after --\nmemctl: hint: memctl help add\n",
		},
		"a flag without its value": {
			[]string{"add", "a.b", "c", "--tag"},
			"memctl: error: \"--tag\": this flag needs a value\nmemctl: hint: memctl help add\n",
		},
		"a value of several words without quotes": {
			[]string{"add", "writing.tone", "concise", "no", "filler"},
			"memctl: error: \"no\": one argument too many: quote a value of several words\nmemctl: hint: memctl add writing.tone 'concise no filler'\n",
		},
		"a lesson under another key": {
			[]string{"add", "ci.flaky", "--issue", "x"},
			"memctl: error: \"ci.flaky\": the key of a lesson begins with lessons.\nmemctl: hint: memctl add lessons.ci.flaky --issue x\n",
		},
		"too few arguments": {
			[]string{"why"},
			"memctl: error: too few arguments: memctl why KEY|ID\nmemctl: hint: memctl help why\n",
		},
		"announce_writes with another word": {
			[]string{"config", "announce_writes", "maybe"},
			"memctl: error: \"announce_writes maybe\": use on or off\n",
		},
		"help about nothing": {
			[]string{"help", "nothing"},
			"memctl: error: \"nothing\": no such command or topic\nmemctl: hint: memctl help all\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			status, out, talk := call(t, "", test.args...)
			if status != statusFault || out != "" || talk != test.want {
				t.Errorf("status %d, stdout %q, stderr\n%swant\n%s", status, out, talk, test.want)
			}
		})
	}
}

func TestWrongUseAsJSON(t *testing.T) {
	for name, args := range map[string][]string{
		"an unknown command":               {"shwo", "--json"},
		"a flag that is unknown before it": {"add", "--tga", "--json"},
		"too few arguments":                {"--json", "why"},
	} {
		t.Run(name, func(t *testing.T) {
			status, out, talk := call(t, "", args...)
			var object struct{ Error errorBody }
			if err := json.Unmarshal([]byte(talk), &object); err != nil {
				t.Fatalf("stderr %q: %v", talk, err)
			}
			if status != statusFault || out != "" || object.Error.Code != "usage" || len(object.Error.Hints) != 1 {
				t.Errorf("status %d, stdout %q, object %+v", status, out, object)
			}
		})
	}
}

func TestFirstWord(t *testing.T) {
	tests := map[string]struct {
		args []string
		want string
	}{
		"the first":                         {[]string{"show", "x"}, "show"},
		"after a folder to start in":        {[]string{"-C", "dir", "show"}, "show"},
		"after a cluster that ends with it": {[]string{"-qC", "dir", "show"}, "show"},
		"after a folder in the same word":   {[]string{"-Cdir", "show"}, "show"},
		"after a store":                     {[]string{"--store", "dir", "show"}, "show"},
		"after a store with an equals sign": {[]string{"--store=dir", "show"}, "show"},
		"none among flags":                  {[]string{"--json"}, ""},
		"none after two dashes":             {[]string{"--", "show"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := firstWord(test.args); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestEveryCommandHasItsPage holds what STYLE asks of each command: help with
// examples, and the same name in the list as in cobra.
func TestEveryCommandHasItsPage(t *testing.T) {
	a, _, _ := testApp(nil)
	entries := commands()
	root := a.root(entries)
	for i, c := range entries {
		built := c.build(a)
		if built.Name() != c.name {
			t.Errorf("entry %d is called %s, its command %s", i, c.name, built.Name())
		}
	}
	var pages int
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		if c.Name() == "help" || c == root {
			return
		}
		pages++
		if c.Short == "" || c.Long == "" || !strings.Contains(c.Example, "memctl "+c.Name()) && !strings.Contains(c.Example, c.CommandPath()) {
			t.Errorf("%s: needs Short, Long and an example of itself", c.CommandPath())
		}
		if strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: a full stop ends Short", c.CommandPath())
		}
		for line := range strings.SplitSeq(c.Long+"\n"+c.Example, "\n") {
			if len([]rune(line)) > 100 {
				t.Errorf("%s: a line of its help is too long: %s", c.CommandPath(), line)
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); name != strings.ToUpper(name) {
				t.Errorf("%s --%s: name what it takes in back quotes, not %q", c.CommandPath(), f.Name, name)
			}
		})
	}
	visit(root)
	if pages < len(entries) {
		t.Errorf("only %d of %d commands were seen", pages, len(entries))
	}
}

// TestWritesTakeTheirFlags holds that everything that changes memory can be
// previewed, told a scope, and given a message.
func TestWritesTakeTheirFlags(t *testing.T) {
	a, _, _ := testApp(nil)
	for _, name := range []string{"init", "add", "remember", "note", "summary", "forget", "move", "import", "sync", "verify", "compact",
		"confirm", "review", "lock", "undo", "restore", "recover", "resolve"} {
		c, _, err := a.root(commands()).Find(strings.Fields(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, flag := range []string{"dry-run", "scope", "message"} {
			if c.Flags().Lookup(flag) == nil {
				t.Errorf("%s has no --%s", name, flag)
			}
		}
	}
}

func TestOrigin(t *testing.T) {
	tests := map[string]struct {
		env       map[string]string
		automatic bool
		want      memory.Origin
		wrong     bool
	}{
		"a person":                          {want: memory.Origin{Kind: memory.Explicit}},
		"a person, told to be automatic":    {automatic: true, want: memory.Origin{Kind: memory.Automatic}},
		"an agent":                          {env: map[string]string{"CLAUDECODE": "1"}, want: memory.Origin{Kind: memory.Relayed, Name: "claude"}},
		"an agent, told to be automatic":    {env: map[string]string{"CLAUDECODE": "1"}, automatic: true, want: memory.Origin{Kind: memory.Automatic, Name: "claude"}},
		"set outright, against the agent's": {env: map[string]string{"CLAUDECODE": "1", envOrigin: "explicit"}, want: memory.Origin{Kind: memory.Explicit, Name: "claude"}},
		"set outright to another word":      {env: map[string]string{envOrigin: "manual"}, wrong: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a, _, _ := testApp(test.env)
			got, err := a.origin(test.automatic)
			if (err != nil) != test.wrong || got != test.want {
				t.Errorf("got %+v, %v; want %+v", got, err, test.want)
			}
		})
	}
}

func TestReport(t *testing.T) {
	held := fault.New(fault.LockHeld, "lock", "locked by process 12 (memctl add)")
	tests := map[string]struct {
		err    error
		json   bool
		act    string
		status int
		out    string
		talk   string
	}{
		"no error": {status: statusDone},
		"a refusal for a person": {
			err:    refusal("not-found", `"a.b": nothing of this name is remembered`, "memctl show"),
			status: statusRefused,
			talk:   "memctl: error: \"a.b\": nothing of this name is remembered\nmemctl: hint: memctl show\n",
		},
		"a refusal of a read, as JSON": {
			err: refusal("not-found", "gone"), json: true,
			status: statusRefused,
			talk:   `{"schema":1,"error":{"code":"not-found","message":"gone","retry":false,"hints":[]}}` + "\n",
		},
		"a refusal of a write, as JSON, is the write": {
			err: refusal("not-found", "gone"), json: true, act: "forget",
			status: statusRefused,
			out:    `{"schema":1,"act":"forget","key":"","scope":"","origin":"explicit","verdict":"refuse","findings":[{"rule":"not-found","message":"gone"}],"commit":null,"why":"not-found","changed":false}` + "\n",
		},
		"a lock that another holds": {
			err: held, json: true, act: "add",
			status: statusFault,
			talk:   `{"schema":1,"error":{"code":"lock-held","message":"\"lock\": locked by process 12 (memctl add)","retry":true,"hints":[]}}` + "\n",
		},
		"what nobody knows is a bug": {
			err:    errors.New("odd"),
			status: statusFault,
			talk:   "memctl: error: odd; this is a bug in memctl, please report it at " + bugAddress + "\nmemctl: hint: memctl version\n",
		},
		"what was said already is not said again": {err: statusError(statusRefused), status: statusRefused},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a, out, talk := testApp(nil)
			a.global.json, a.act = test.json, test.act
			status := a.report(test.err)
			if status != test.status || out.String() != test.out || talk.String() != test.talk {
				t.Errorf("status %d\nstdout %s\nstderr %s\nwant %d\n%s\n%s", status, out, talk, test.status, test.out, test.talk)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	words := []string{"show", "profile", "forget", "lock", "unlock", "log"}
	tests := map[string]struct{ typed, want string }{
		"two letters that changed places": {"shwo", "show"},
		"a letter too many":               {"loog", "log"},
		"near nothing":                    {"xyzzy", ""},
		"the word itself":                 {"lock", "lock"},
		"a longer word may differ more":   {"unlocked", "unlock"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(nearest(test.typed, words), " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
