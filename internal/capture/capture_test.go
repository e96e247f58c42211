package capture

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
)

// lines lists the items as a test writes them: line, confidence, key and value.
func lines(res Result) []string {
	var out []string
	for _, c := range items(res) {
		out = append(out, strconv.Itoa(c.Line)+" "+c.Confidence+" "+c.Key+" = "+c.Value.Plain())
	}
	return out
}

// items and entries are the rows that are these, and refused those that cannot be read.
func items(res Result) []Row {
	return of(res, func(r Row) bool { return r.Left == "" && r.IsItem() })
}

func entries(res Result) []Row {
	return of(res, func(r Row) bool { return r.Left == "" && !r.IsItem() })
}

func refused(res Result) []Row { return of(res, func(r Row) bool { return r.Rule != "" }) }

func of(res Result, is func(Row) bool) []Row {
	return slices.DeleteFunc(slices.Clone(res.Rows), func(r Row) bool { return !is(r) })
}

func read(t *testing.T, format string, files ...File) Result {
	t.Helper()
	res, err := Read(format, files)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDetect(t *testing.T) {
	tests := map[string]struct{ name, data, want string }{
		"a name in another case":              {"x/Claude.md", "", Claude},
		"a rule of Cursor":                    {".cursor/rules/go.mdc", "", Cursor},
		"Copilot's file":                      {".github/copilot-instructions.md", "", Copilot},
		"a path rule of Copilot":              {"web.instructions.md", "", Copilot},
		"a memory by hand":                    {"MEMORY.md", "", MemoryMD},
		"any other Markdown":                  {"notes.md", "- a b c", Markdown},
		"a memory file of another project":    {"memories.md", memfile.Template, Memctl},
		"entities, a line each":               {"memory.jsonl", `{"type":"entity","name":"A","observations":[]}`, MCPMemory},
		"entities in one object":              {"memory.json", `{"entities":[],"relations":[]}`, MCPMemory},
		"facts of ChatCLI by another name":    {"facts.json", `[{"id":"1","content":"a","category":"gotcha"}]`, ChatCLI},
		"an export of mememory":               {"memories.json", `[{"id":"1","content":"a","scope":"global","type":"rule"}]`, Mememory},
		"our own JSON Lines":                  {"x.jsonl", `{"key":"a.b","value":1}`, JSONLines},
		"our own JSON":                        {"x.json", `{"schema":1,"items":[{"key":"a.b","value":1}]}`, JSONLines},
		"an item that speaks of saved_memory": {"x.jsonl", `{"key":"a.b","value":"saved_memory"}`, JSONLines},
		"broken JSON":                         {"x.json", `{"key":`, JSONLines},
		"nothing":                             {"stdin", "", Markdown},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Detect(test.name, []byte(test.data)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestPartsHoldEveryLine reads texts put together of anything that Markdown has: each line that is
// not blank is in one part, and each part became a memory or says why not.
func TestPartsHoldEveryLine(t *testing.T) {
	lines := []string{
		"# Head", "Setext", "===", "---", "- item", "  - below: it", "    more of it", "1. step", "2) step:", "   ```sh", "```", "run it", "~~~", "| a | b |", "> said",
		"<div>", "<!-- one -->", "<!-- open", "closed -->", "<!-- memctl:begin -->", "<!-- memctl:end -->", "\tcode", "Never do this.", "Some prose.", "Label:",
		"* [x] done", "+ [page](x.md)", "***", "", "", "  ", "\u00a0", "- ", "10. ten", "text <!-- c --> text", "- Use `x`", "word",
	}
	random := rand.New(rand.NewPCG(17, 17))
	for range 3000 {
		var b strings.Builder
		for range random.IntN(24) {
			b.WriteString(lines[random.IntN(len(lines))] + "\n")
		}
		checkParts(t, Agents, b.String())
		checkParts(t, MemoryMD, b.String())
		checkParts(t, ClaudeMemory, b.String())
		checkParts(t, CodexMemory, b.String())
		checkParts(t, ClaudeMemory, "---\nname: a\ntype: user\n---\n"+b.String())
	}
}

func checkParts(t *testing.T, format, text string) {
	t.Helper()
	res := read(t, format, File{Name: "a.md", Data: []byte(text)})
	held := map[int][2]int{}
	for _, p := range res.Rows {
		for n := p.Line; n <= p.Last; n++ {
			if was, twice := held[n]; twice && was != [2]int{p.Line, p.Last} {
				t.Fatalf("line %d is in two rows, of %+v in:\n%s", n, res.Rows, text)
			}
			held[n] = [2]int{p.Line, p.Last}
		}
		if p.Left == "" && p.Text == "" && p.Key == "" {
			t.Fatalf("a %s of line %d became nothing, and nothing says why, in:\n%s", p.Kind, p.Line, text)
		}
	}
	for i, line := range strings.Split(text, "\n") {
		if _, there := held[i+1]; !there && strings.TrimSpace(line) != "" {
			t.Fatalf("line %d is in no row, of %+v in:\n%s", i+1, res.Rows, text)
		}
	}
}

func TestMemoryMD(t *testing.T) {
	res := read(t, "", File{Name: "MEMORY.md", Data: []byte("# Memory\n\n## What to avoid\n- Works in Berlin\n  - with Go\n\nRun these:\n\n1. make\n2. make test\n\nThe deploy is\nby hand：\n\n```sh\nmake deploy\n```\n\n| host | port |\n|--|--|\n| a | 1 |\n<!-- no -->\n---\n> said\n\nTopic\n-----\n* one\n\n## User\n\nLikes tea.\n")})
	same(t, made(res), []string{
		"4 memory   [] What to avoid: Works in Berlin  0", "5 memory   [] What to avoid: Works in Berlin: with Go  0",
		"9 memory   [] What to avoid: Run these: 1. make  0", "10 memory   [] What to avoid: Run these: 2. make test  0",
		"15 memory   [] What to avoid: The deploy is by hand: ```sh\nmake deploy\n```  0",
		"21 memory   [] What to avoid: host: a; port: 1  0", "24 memory   [] What to avoid: said  0", "28 memory   [] Topic: one  0", "32 memory   [] User: Likes tea.  0 user",
	})
	if got := entries(res)[0].Entry.Topics; !slices.Equal(got, []string{"Memory"}) {
		t.Errorf("topics %v", got)
	}
}

func TestAutoMemory(t *testing.T) {
	res := read(t, "",
		File{Name: "MEMORY.md", Data: []byte("# Index\n\n- [Testing](feedback_testing.md) - how to test\n- The build takes ten minutes\n")},
		File{Name: "debugging.md", Data: []byte("- Port 8080 is taken by the proxy\n")},
		File{Name: "feedback_testing.md", Data: []byte("---\nname: real database\ndescription: tests\ntype: feedback\n---\n\nRun tests against a real database.\n\n**Why:** mocks hid a broken migration.\n")},
		File{Name: "long.md", Data: []byte("---\nname: long one\ntype: project\n---\n- " + strings.Repeat("x", maxWhole) + "\n- two\n")},
		File{Name: "user_role.md", Data: []byte("---\nname: user role\ndescription: who\ntype: user\n---\nData scientist, new to Go.\n")},
		File{Name: "z.md", Data: []byte("---\nname: ci\ndescription: CI is slow\ntype: project\n---\n\n")},
	)
	if res.Format != ClaudeMemory {
		t.Errorf("format %s", res.Format)
	}
	same(t, made(res), []string{
		"4 memory   [] Index: The build takes ten minutes low 0",
		"1 memory   [] Port 8080 is taken by the proxy low 0",
		"6 memory   [feedback] real database: Run tests against a real database.\n\n**Why:** mocks hid a broken migration.  0",
		"5 memory   [project] long one: " + strings.Repeat("x", maxWhole) + " low 0", "6 memory   [project] long one: two low 0",
		"6 memory   [user] user role: Data scientist, new to Go. low 0 user", "5 memory   [project] ci: CI is slow low 0",
	})
	if entries(res)[2].File != "feedback_testing.md" || !slices.Equal(entries(res)[1].Entry.Topics, []string{"debugging"}) {
		t.Errorf("got %+v", entries(res))
	}
}

func TestCodexMemory(t *testing.T) {
	text := "# Task Group: Shop API\n\nscope: the shop\napplies_to: cwd=/src/shop\n\n## Task 1: Fix it\n\n### keywords\n\n- shop, api\n\n## User preferences\n\n- answer in one table [Task 1]\n\n## Reusable knowledge\n\n- The schema is in\n  db/schema.sql\n  - it is generated\n"
	res := read(t, "", File{Name: "MEMORY.md", Data: []byte(text)}, File{Name: "memory_summary.md", Data: []byte("v1\n")}, File{Name: "rollout_summaries/a.md", Data: []byte("x\n")}, File{Name: "skills/a/SKILL.md", Data: []byte("x\n")})
	same(t, made(res), []string{
		"3 memory   [] Shop API: scope: the shop applies_to: cwd=/src/shop  0 user", "14 memory   [] User preferences: answer in one table [Task 1]  0 user",
		"18 memory   [] Reusable knowledge: The schema is in db/schema.sql  0 user", "20 memory   [] Reusable knowledge: The schema is in db/schema.sql: it is generated  0 user",
	})
	if res.Format != CodexMemory || !slices.Equal(entries(res)[1].Entry.Topics, []string{"Shop API"}) {
		t.Errorf("format %s, %+v", res.Format, entries(res)[1].Entry)
	}
	same(t, leftOf(res), []string{"MEMORY.md list item it contains no memory", "memory_summary.md file the same is in another file", "rollout_summaries/a.md file the same is in another file", "skills/a/SKILL.md file it contains no memory"})
}

func TestMCPMemory(t *testing.T) {
	const text = `{"type":"entity","name":"default_user","entityType":"person","observations":["Speaks German"]}
{"type":"entity","name":"Shop API","entityType":"service","observations":["Runs on port 8080","It is in Go"]}
{"type":"relation","from":"Ada","to":"Shop API","relationType":"works on"}
no JSON
{"type":"other"}
`
	res := read(t, "", File{Name: "memory.jsonl", Data: []byte(text)})
	same(t, made(res), []string{
		"1 memory   [person] default_user: Speaks German low 0 user", "2 memory   [service] Shop API: Runs on port 8080 low 0", "2 memory   [service] Shop API: It is in Go low 0",
		"3 memory   [] Ada works on Shop API low 0",
	})
	if len(refused(res)) != 1 || refused(res)[0].Line != 4 {
		t.Errorf("skipped %+v", refused(res))
	}
	same(t, leftOf(res), []string{"record line-formis not a JSON object", "record it has no text"})
	graph := `{"entities":[{"name":"Ada","entityType":"person","observations":["likes {from} tea"]}],
 "relations":[{"from":"Ada","to":"Bob","relationType":"knows"}]}`
	same(t, made(read(t, "", File{Name: "memory.json", Data: []byte(graph)})), []string{
		"1 memory   [person] Ada: likes {from} tea low 0", "2 memory   [] Ada knows Bob low 0",
	})
}

// leftOf are the rows, other than headings, that became no memory.
func leftOf(res Result) (out []string) {
	for _, p := range res.Rows {
		if p.Left != "" && p.Kind != partHeading && p.Kind != partFront {
			out = append(out, strings.TrimSpace(p.File+" "+p.Kind+" "+p.Rule+p.Left))
		}
	}
	return out
}

// made is what an entry became, as a test writes it.
func made(res Result) []string {
	var out []string
	for _, l := range entries(res) {
		e := l.Entry
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d %s %s %s [%s] %s %s %g %s", l.Line, e.Role, e.Created, e.Category, strings.Join(e.Tags, " "), e.Text, e.Confidence, e.Weight, l.Scope)))
	}
	return out
}

func TestChatCLI(t *testing.T) {
	index := File{Name: "memory_index.json", Data: []byte(`[
 {"id":"1","content":"CI uses Go 1.26","category":"project","tags":["CI","go"],"created_at":"2026-03-04T05:06:07Z","access_count":4},
 {"id":"2","content":"Ada likes short answers","category":"personal","confidence":0.3},
 {"id":"3","content":""}
]`)}
	want := []string{"2 memory 2026-03-04T05:06:07.000Z project [CI go] CI uses Go 1.26  0", "3 memory  personal [] Ada likes short answers low 0"}
	same(t, made(read(t, "", index)), want)
	byID := `{"facts":{"a":{"content":"CI uses Go 1.26","category":"project"}}}`
	same(t, made(read(t, "", File{Name: "memory_index.json", Data: []byte(byID)})), []string{"1 memory  project [] CI uses Go 1.26  0"})

	res := read(t, "",
		File{Name: "202603/20260304.md", Data: []byte("\n## 09:30\n\nMoved the parser.\n\n## 10:05\n\nFixed CI.\nTwice.\n")},
		File{Name: "MEMORY.md", Data: []byte("# Long-term\n- CI uses Go 1.26\n")}, index,
		File{Name: "projects.json", Data: []byte(`[{"name":"Shop API","path":"/src/shop","status":"active","technologies":["go","sql"]}]`)},
		File{Name: "topics.json", Data: []byte(`[{"name":"CI","summary":"Moved to another runner","mentions":3,"related_fact_ids":["1"]},{"name":"Go","mentions":1}]`)},
		File{Name: "user_profile.json", Data: []byte("{\"name\":\"Ada\",\n\"skills\":[\"go\",\"sql\"],\"preferences\":{\"Answer length\":\"short\"},\"last_updated\":\"2026-03-04T05:06:07Z\"}")},
	)
	same(t, made(res), []string{
		"4 note 2026-03-04T09:30:00.000Z  [] Moved the parser.  0", "8 note 2026-03-04T10:05:00.000Z  [] Fixed CI. Twice.  0", want[0], want[1],
		"1 memory   [] Shop API: path /src/shop; status active; technologies go, sql  0 user", "1 memory   [] CI: Moved to another runner  0",
		"1 memory   [] user name: Ada  0 user", "2 memory   [] user skills: go, sql  0 user", "2 memory   [] user preferences: Answer length: short  0 user",
	})
	if res.Format != ChatCLI || !slices.Equal(entries(res)[5].Entry.Topics, []string{"CI"}) {
		t.Errorf("format %s, topics %v", res.Format, entries(res)[5].Entry.Topics)
	}
	same(t, leftOf(res), []string{
		"MEMORY.md file the same is in another file", "memory_index.json record it has no text", "topics.json record it has no text", "user_profile.json record it contains no memory",
	})
}

func TestMememory(t *testing.T) {
	const text = `[{"content":"Always answer in English","scope":"global","type":"rule","delivery":"pinned","weight":1},
{"content":"The API is in Go","scope":"project","project":"shop","type":"fact","delivery":"on_demand","weight":1,"created_at":"2026-01-31T10:00:00Z","ttl":"2027-01-31T10:00:00Z"},
{"content":"Use pnpm","scope":"global","type":"bootstrap","weight":0.1},
{"content":"Use spaces","scope":"global","type":"rule","delivery":"bootstrap","weight":0.1}]`
	res := read(t, "", File{Name: "memories.json", Data: []byte(text)})
	same(t, made(res), []string{
		"1 memory  rule [bootstrap] Always answer in English  1 user", "2 memory 2026-01-31T10:00:00.000Z fact [shop] The API is in Go  1", "3 memory  bootstrap [] Use pnpm  0.1 user", "4 memory  rule [bootstrap] Use spaces  0.1 user",
	})
	if entries(res)[1].Entry.Expires != "2027-01-31" {
		t.Errorf("got %+v", entries(res)[1])
	}
}

func TestJSONLines(t *testing.T) {
	const text = `{"key":"a.b","value":"x","tags":["t"],"source":"s","confidence":"high","expires":"2027-01-01","paths":["cmd/**"]}

{"key":"a.c","value":"1.10","yaml":"1.10","confidence":"low"}
{"key":"a.d","value":"one","yaml":"two"}
{"text":"Use tabs","category":"style"}
{"key":"a.e","value":"y","tags":["needs-confirmation"]}
{"key":"a.f"}
[1]
`
	res := read(t, "", File{Name: "x.jsonl", Data: []byte(text)})
	same(t, lines(res), []string{
		"1 medium a.b = x", "3 low a.c = 1.10", "4 medium a.d = one", "6 low a.e = y",
	})
	if len(entries(res)) != 1 || entries(res)[0].Line != 5 || entries(res)[0].Entry.Text != "Use tabs" || entries(res)[0].Entry.Category != "style" {
		t.Errorf("the line with a text alone is no entry: %+v", entries(res))
	}
	if c := items(res)[0]; c.Source != "s" || c.Expires != "2027-01-01" || !slices.Equal(c.Paths, []string{"cmd/**"}) || c.Derived {
		t.Errorf("got %+v", c)
	}
	if k := items(res)[1].Value.Kind; k != memfile.Number {
		t.Errorf("1.10 came back as kind %d, not as the number", k)
	}
	if k := items(res)[2].Value.Text; k != "one" {
		t.Errorf("a YAML text that says something else won: %q", k)
	}
	if len(refused(res)) != 2 || refused(res)[0].Line != 7 || refused(res)[1].Line != 8 {
		t.Errorf("skipped %+v", refused(res))
	}
}

func TestMemctl(t *testing.T) {
	doc := memfile.Document{Settings: memfile.Settings{Enabled: true, AnnounceWrites: true}, Items: []memfile.Item{
		{Key: "a.b", Value: memfile.Str("x"), Labels: labels.Labels{Confidence: memfile.High, Locked: true}, Added: "2026-01-01"},
		{Key: "a.c", Value: memfile.Str("y"), Labels: labels.Labels{Confidence: memfile.High}, Added: "2026-01-01"},
	}, Deletions: []memfile.Tombstone{{Key: "a.c", Removed: "2026-02-01", Reason: "no"}}}
	src, err := memfile.New(doc)
	if err != nil {
		t.Fatal(err)
	}
	res := read(t, "", File{Name: "memories.md", Data: src})
	if len(items(res)) != 1 || items(res)[0].Key != "a.b" || items(res)[0].Confidence != memfile.Medium {
		t.Errorf("got %v, want a.b alone, and medium", lines(res))
	}
}

func TestReadRefuses(t *testing.T) {
	tests := map[string]struct {
		format string
		data   string
		line   int
	}{
		"bytes that are no UTF-8":           {"", "a\xff", 0},
		"a zero byte":                       {"", "a\x00b", 0},
		"more than 4 MB":                    {"", strings.Repeat("a", MaxInput+1), 0},
		"an array that ends too early":      {JSONLines, "[\n{\"key\":\"a.b\",\"value\":1},\n", 2},
		"an array with a fault":             {ChatCLI, "[\n{\"content\":}\n]", 2},
		"a damaged memory file":             {Memctl, "\n```yaml\nsaved_memory: [\n```\n", 3},
		"a format that there is not":        {"yaml", "a: b", 0},
		"an object in an object, cut short": {ChatCLI, "[{\"facts\":", 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			res, err := Read(test.format, []File{{Name: "f", Data: []byte(test.data)}})
			if !fault.Is(err, fault.Format) || res.Rows != nil {
				t.Fatalf("got %v, %v; want fault.Format alone", res, err)
			}
			if test.line != 0 && !strings.Contains(err.Error(), fmt.Sprintf(" line %d: ", test.line)) {
				t.Errorf("want line %d: %v", test.line, err)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	var b strings.Builder
	for i := range MaxItems + 5 {
		b.WriteString(`{"key":"a.k` + strconv.Itoa(i) + `","value":1}` + "\n")
	}
	lines := strings.SplitAfter(b.String(), "\n")
	if res := read(t, "", File{Name: "x.jsonl", Data: []byte(strings.Join(lines[:MaxItems], ""))}); len(items(res)) != MaxItems || len(refused(res)) != 0 {
		t.Errorf("%d candidates, skipped %+v", len(items(res)), refused(res))
	}
	list := "# P\n\n" + strings.Repeat("- Use the compiler of the year before\n", MaxItems+1)
	for name, text := range map[string]string{"x.jsonl": b.String(), "AGENTS.md": list} {
		if _, err := Read("", []File{{Name: name, Data: []byte(text)}}); !fault.Is(err, fault.Format) {
			t.Errorf("%s with too many items: %v", name, err)
		}
	}
	long := "# P\n\n## S\n\n- Use " + strings.Repeat("x", maxText) + "\n"
	if res := read(t, "", File{Name: "AGENTS.md", Data: []byte(long)}); len(items(res)) != 0 || len(refused(res)) != 1 {
		t.Errorf("a document came in as an entry: %d, %+v", len(items(res)), refused(res))
	}
}

// TestHostileInputCostsLittle reads 1 MB, each of which once took minutes or would: then the
// tests of this package end at go test's own limit of ten minutes.
func TestHostileInputCostsLittle(t *testing.T) {
	const size = MaxInput/4 - 100
	tests := map[string]struct{ format, data string }{
		"brackets that open no link":   {Agents, "# a\n- " + strings.Repeat("[", size)},
		"links without an end":         {Agents, "# a\n- " + strings.Repeat("[](", size/3)},
		"one entry again and again":    {Agents, "# a\n\n## b\n\n" + strings.Repeat("- a b c\n", size/8)},
		"lists in lists":               {Agents, "# a\n\n## b\n\n" + strings.Repeat("- x y:\n  - a b\n", size/15)},
		"arrays in arrays":             {JSONLines, strings.Repeat(`{"key":"a.b","value":`+strings.Repeat("[", 9000)+strings.Repeat("]", 9000)+"}\n", size/18100)},
		"a heading over many items":    {MemoryMD, "# " + strings.Repeat("a", size/2) + "\n\n## " + strings.Repeat("b", size/4) + "\n" + strings.Repeat("- a\n", size/16)},
		"a name of many observations":  {MCPMemory, `{"type":"entity","name":"` + strings.Repeat("a", size/2) + `","observations":[` + strings.Repeat(`"b",`, size/8) + `"c"]}`},
		"lines of one paragraph":       {MemoryMD, strings.Repeat("a\n", size/2)},
		"values that are hard as YAML": {JSONLines, strings.Repeat(`{"key":"a.b","value":1,"yaml":"`+strings.Repeat("[", 3000)+"\"}\n", size/3100)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Read(test.format, []File{{Name: "a.md", Data: []byte(test.data)}}); err != nil && !strings.Contains(err.Error(), "the limit") {
				t.Fatal(err)
			}
		})
	}
}

// TestLabelsBecomeKeys: a label begins the key, and stays in the value.
func TestLabelsBecomeKeys(t *testing.T) {
	text := "# P\n\n## Build\n\n- **Unit tests**: `make test`\n- Before release: run `make all`\n- Never commit: secrets\n- Lint: `make lint`\n- Lint: `make lint-docs` for docs\n- `make -C docs`: builds the docs\n"
	res := read(t, Agents, File{Name: "AGENTS.md", Data: []byte(text)})
	same(t, lines(res), []string{
		"5 medium build.unit-tests-make-test = Build: Unit tests: `make test`",
		"6 medium build.release-run-make-all = Build: Before release: run `make all`",
		"7 medium build.never-commit-secrets = Build: Never commit: secrets",
		"8 medium build.lint-make-lint = Build: Lint: `make lint`",
		"9 medium build.lint-make-lint-docs = Build: Lint: `make lint-docs` for docs",
		"10 medium build.make-c-docs-builds = Build: `make -C docs`: builds the docs",
	})
}
