package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/jsontext"
)

// filesPerAgent is how many settings files are made up for each editor.
const filesPerAgent = 60

// TestUninstallGivesTheBytesBack installs into made-up settings of all kinds,
// twice, and takes it out again.
func TestUninstallGivesTheBytesBack(t *testing.T) {
	m := Machine{Home: "/home/ada", Root: "/home/ada/project", Getenv: func(string) string { return "" }}
	seen := 0
	for _, a := range All() {
		for _, scope := range []string{ForUser, ForProject} {
			files, err := a.Files(m, scope)
			if err != nil {
				continue
			}
			for _, file := range files {
				seen++
				t.Run(a.Name()+" "+scope+" "+file.What, func(t *testing.T) {
					for seed := range uint64(filesPerAgent) {
						src := generate(file.Editor, rand.New(rand.NewPCG(seed, 13)))
						checkRoundTrip(t, file.Editor, src)
						if t.Failed() {
							t.Fatalf("seed %d", seed)
						}
					}
				})
			}
		}
	}
	if seen < 12 {
		t.Fatalf("only %d files of agents were seen", seen)
	}
}

func checkRoundTrip(t *testing.T, e ConfigEditor, src []byte) {
	t.Helper()
	show := func(b []byte) string { return fmt.Sprintf("%d bytes, nil %v:\n%s", len(b), b == nil, b) }
	once, err := e.Install(src)
	if err != nil {
		t.Errorf("install: %v\n%s", err, show(src))
		return
	}
	if l, err := e.Look(once); l.State != Installed || err != nil {
		t.Errorf("after an installation: %q, %v\n%s", l.State, err, show(once))
	}
	twice, err := e.Install(once)
	if err != nil || !bytes.Equal(once, twice) {
		t.Errorf("the second installation changes the file (%v)\n%s", err, show(twice))
	}
	if e, ok := e.(jsonFile); ok && e.root[0] != "permissions" {
		checkMeaning(t, src, once, e.root[0])
	}
	back, err := e.Remove(once)
	if err != nil || !bytes.Equal(back, src) || (back == nil) != (src == nil) {
		t.Errorf("uninstalling does not give the bytes back (%v)\nbefore, %s\ninstalled, %s\nafter, %s", err, show(src), show(once), show(back))
	}
	if again, err := e.Remove(back); err != nil || !bytes.Equal(again, back) {
		t.Errorf("the second uninstallation changes the file (%v)\n%s", err, show(again))
	}
}

// TestHooksRulesAndServerInOneFile installs all of them into one file, as an installation does.
func TestHooksRulesAndServerInOneFile(t *testing.T) {
	editors := []ConfigEditor{ByName("claude").hooks(ForUser), claudeRules(false), server("mcpServers")}
	for seed := range uint64(filesPerAgent) {
		r := rand.New(rand.NewPCG(seed, 14))
		src := []byte(nil)
		if r.IntN(10) > 0 {
			src = (&settingsMaker{r: r, events: []string{"SessionStart", "Stop"}, nested: true, rules: true}).make()
		}
		once := src
		for _, e := range editors {
			var err error
			if once, err = e.Install(once); err != nil {
				t.Fatal(err)
			}
		}
		back := once
		for _, e := range slices.Backward(editors) {
			var err error
			if back, err = e.Remove(back); err != nil {
				t.Fatal(err)
			}
		}
		if bytes.Equal(once, src) || !bytes.Equal(back, src) || (back == nil) != (src == nil) {
			t.Fatalf("seed %d: uninstalling does not give the bytes back\n%s\ninstalled:\n%s\nafter:\n%s", seed, src, once, back)
		}
	}
}

// checkMeaning compares what a reader of JSON sees: everything that was there
// is there, in its order, and every hook list only grows at its end, the
// servers by ours alone.
func checkMeaning(t *testing.T, src, installed []byte, ours ...string) {
	t.Helper()
	after := meaning(t, installed).(map[string]any)
	before, _ := meaning(t, src).(map[string]any)
	for key, was := range before {
		if key != "hooks" && slices.Contains(ours, key) {
			now := after[key].(map[string]any)
			if delete(now, "memctl"); !reflect.DeepEqual(was, after[key]) {
				t.Errorf("the servers were %v and are %v", was, now)
			}
			continue
		}
		if !slices.Contains(ours, key) {
			if !reflect.DeepEqual(was, after[key]) {
				t.Errorf("%q was %v and is %v", key, was, after[key])
			}
			continue
		}
		now := after["hooks"].(map[string]any)
		for event, list := range was.(map[string]any) {
			old, list := list.([]any), now[event].([]any)
			if len(list) < len(old) || !reflect.DeepEqual(old, list[:len(old)]) {
				t.Errorf("the hooks of %q were %v and are %v", event, old, list)
			}
		}
	}
}

// meaning decodes JSON with comments by the standard library.
func meaning(t *testing.T, src []byte) any {
	t.Helper()
	src = plainJSON(src)
	if len(bytes.TrimSpace(src)) == 0 {
		return nil
	}
	var v any
	if err := json.Unmarshal(src, &v); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return v
}

// plainJSON is the same without what the standard library does not read. It is
// written apart from the scanner under test.
func plainJSON(src []byte) []byte {
	var out []byte
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	for i := 0; i < len(src); i++ {
		switch {
		case src[i] == '"':
			j := i + 1
			for src[j] != '"' {
				if src[j] == '\\' {
					j++
				}
				j++
			}
			out = append(out, src[i:j+1]...)
			i = j
		case src[i] == '/' && src[i+1] == '/':
			for i < len(src) && src[i] != '\n' {
				i++
			}
			i--
		case src[i] == '/':
			i += 2 + bytes.Index(src[i+2:], []byte("*/")) + 1
		case src[i] == '}' || src[i] == ']':
			out = append(bytes.TrimRight(out, ", \t\r\n"), src[i])
		default:
			out = append(out, src[i])
		}
	}
	return out
}

// generate makes a file for the editor: none, blank, or one that a person, a
// program or somebody in a hurry could have written.
func generate(e ConfigEditor, r *rand.Rand) []byte {
	switch r.IntN(20) {
	case 0:
		return nil
	case 1:
		if _, ok := e.(whole); !ok {
			return []byte(pick(r, "", "\n", "\r\n", "  \n\n", "\ufeff", "\ufeff\n"))
		}
	}
	switch e := e.(type) {
	case jsonFile:
		g := &settingsMaker{r: r, version: e.version == "1"}
		switch e.root[0] {
		case "permissions":
			g.rules = true
		case "hooks":
			for _, entry := range e.entries {
				if len(entry.at) == 1 {
					return nil // the list of Kiro's own file
				}
				g.events = append(g.events, entry.part)
				g.nested = g.nested || entry.item.Members[len(entry.item.Members)-1].Name == "hooks"
			}
		default:
			g.servers = e.root[0]
		}
		return g.make()
	case tomlFile:
		return lines(r, "model = \"o3\"", "[features]", "hooks = true # yes", "", "[mcp_servers.other]", "command = 'x'", "text = \"\"\"", "two lines", "\"\"\"", "# note", "key = [ # of two lines", "a = '''memctl'''")
	case marked:
		return lines(r, "# Title", "", "Some text", "- a list", "```", "code", "```", "<!-- note -->", "  indented", "\ttabbed")
	}
	return nil
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// lines makes a text of random lines; a string of several lines is closed.
func lines(r *rand.Rand, from ...string) []byte {
	newline := pick(r, "\n", "\n", "\r\n")
	var b strings.Builder
	b.WriteString(pick(r, "", "", "", "\ufeff"))
	for range r.IntN(12) {
		line := pick(r, from...)
		switch line {
		case "text = \"\"\"":
			line += newline + "two lines" + newline + "\"\"\""
		case "key = [ # of two lines":
			line += newline + "  1, ]"
		case "two lines", "\"\"\"":
			continue
		}
		b.WriteString(line + newline)
	}
	return []byte(strings.TrimSuffix(b.String(), pick(r, "", newline)))
}

// settingsMaker writes settings in one of many styles.
type settingsMaker struct {
	r               *rand.Rand
	events          []string
	nested, version bool
	servers         string // the member that holds MCP servers, "" for none
	rules           bool   // permissions are laid out as an agent reads them
	newline, unit   string
	flat, jsonc     bool
}

func (g *settingsMaker) make() []byte {
	g.newline = pick(g.r, "\n", "\n", "\r\n")
	g.unit = pick(g.r, "  ", "\t", "    ", " ", "")
	g.flat = g.r.IntN(5) == 0
	g.jsonc = g.r.IntN(2) == 0
	members := []string{}
	for _, name := range []string{"model", "permissions", "env", "memctl", "other"} {
		if g.r.IntN(2) == 0 {
			text := g.any(1)
			if name == "permissions" && g.rules {
				text = g.permissions()
			}
			members = append(members, jsontext.Quote(name)+g.colon()+text)
		}
	}
	if g.servers != "" && g.r.IntN(3) > 0 {
		var list []string
		for _, name := range []string{"github", "memctl2", "memory"}[:g.r.IntN(4)] {
			list = append(list, jsontext.Quote(name)+g.colon()+g.any(2))
		}
		members = append(members, jsontext.Quote(g.servers)+g.colon()+g.wrap("{", "}", list, 1))
	}
	if g.r.IntN(3) > 0 {
		members = append(members, `"hooks"`+g.colon()+g.hooks())
	}
	if g.version && g.r.IntN(2) == 0 {
		members = append(members, `"version"`+g.colon()+"1")
	}
	g.r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	text := pick(g.r, "", "", "\ufeff") + pick(g.r, "", g.comment(), g.newline) + g.wrap("{", "}", members, 0) + pick(g.r, "", g.newline, g.newline+g.newline, g.comment())
	return []byte(text)
}

func (g *settingsMaker) colon() string { return pick(g.r, ": ", ":", " : ", ":\t") }

// comment is one where they are allowed. One of a line ends with the line.
func (g *settingsMaker) comment() string {
	if !g.jsonc || g.r.IntN(3) > 0 {
		return ""
	}
	return pick(g.r, "/* , { */", " // memctl hook --agent claude, } "+g.newline, "/**/")
}

// wrap lays the parts out between brackets.
func (g *settingsMaker) wrap(open, closing string, parts []string, depth int) string {
	if len(parts) == 0 {
		return open + pick(g.r, "", " ", "  ", "   ", g.newline, g.newline+"  ", g.comment()) + closing
	}
	sep := pick(g.r, "", " ")
	end := sep
	if !g.flat && g.r.IntN(8) > 0 {
		end = g.newline + strings.Repeat(g.unit, depth)
		sep = end + g.unit
	}
	var b strings.Builder
	b.WriteString(open)
	for i, part := range parts {
		b.WriteString(g.comment() + sep + g.comment() + part + g.comment())
		if i < len(parts)-1 {
			b.WriteString(",")
		} else if g.jsonc && g.r.IntN(3) == 0 {
			b.WriteString("," + g.comment())
		}
	}
	b.WriteString(g.comment() + end + closing)
	return b.String()
}

// permissions are the person's own rules, some of them the same as ours.
func (g *settingsMaker) permissions() string {
	var members []string
	for _, name := range []string{"deny", "allow", "ask"} {
		var list []string
		for range g.r.IntN(4) {
			list = append(list, pick(g.r, `"Bash(memctl log:*)"`, `"mcp__memctl__forget"`, `"Bash(go test:*)"`, `"WebSearch"`))
		}
		if g.r.IntN(2) == 0 {
			members = append(members, jsontext.Quote(name)+g.colon()+g.wrap("[", "]", list, 2))
		}
	}
	return g.wrap("{", "}", members, 1)
}

func (g *settingsMaker) any(depth int) string {
	switch g.r.IntN(6) {
	case 0:
		return pick(g.r, "1", "-0.5e+3", "true", "null")
	case 1:
		return g.wrap("[", "]", []string{g.any(depth + 1), `"x"`}, depth)
	case 2:
		return g.wrap("{", "}", []string{`"hooks"` + g.colon() + `{"SessionStart": []}`}, depth)
	case 3:
		return g.wrap("[", "]", nil, depth)
	}
	return pick(g.r, `"memctl hook --agent claude"`, `"a \"quoted\" // no comment"`, `"é\u00e9 🙂 \ud83d\ude42"`, `"tab\there\\"`)
}

// hooks are other people's, in some of our events and elsewhere.
func (g *settingsMaker) hooks() string {
	var members []string
	for _, event := range append([]string{"Notification"}, g.events...) {
		if g.r.IntN(2) == 0 {
			var list []string
			for range g.r.IntN(3) {
				list = append(list, g.hook())
			}
			members = append(members, jsontext.Quote(event)+g.colon()+g.wrap("[", "]", list, 2))
		}
	}
	return g.wrap("{", "}", members, 1)
}

func (g *settingsMaker) hook() string {
	command := pick(g.r, "memctl hook", "memctl hook --agent nobody # mine", "memctl profile", "echo hi", "bd prime")
	hook := g.wrap("{", "}", []string{`"type": "command"`, `"command"` + g.colon() + jsontext.Quote(command)}, 4)
	if !g.nested {
		return hook
	}
	list := []string{hook}
	if g.r.IntN(6) == 0 {
		list = nil
	}
	return g.wrap("{", "}", []string{`"matcher": "*"`, `"hooks"` + g.colon() + g.wrap("[", "]", list, 4)}, 3)
}
