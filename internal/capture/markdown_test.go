package capture

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memctl/memctl/memfile"
)

// texts are the items and facts of an instruction file: what stands in memory.
func texts(t *testing.T, text string) (list []string) {
	t.Helper()
	res := read(t, Agents, File{Name: "AGENTS.md", Data: []byte(text)})
	for _, c := range items(res) {
		list = append(list, c.Value.Plain())
		if !memfile.KeyForm(c.Key) {
			t.Errorf("%q is no key", c.Key)
		}
	}
	for _, e := range entries(res) {
		list = append(list, "fact: "+e.Entry.Text)
	}
	return list
}

// TestInstructions: the structure of a file decides what is an item, and what stands in front of it.
func TestInstructions(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"the nearest heading stands in front, and those above it": {
			"# P\n\n## Never\n\n### Git\n\n- push to main\n\n## Style\n\n- tabs\n", []string{"Never: Git: push to main", "Style: tabs"},
		},
		"the title stands in front where it is the nearest heading, unless it is the name of the file": {
			"# Never\n\n- push\n", []string{"Never: push"},
		},
		"the file's own name says nothing": {"# AGENTS.md\n\n- push\n", []string{"push"}},
		"several titles are headings like others": {
			"# Never\n\n## Git\n\n- push\n\n# Always\n\n## Git\n\n- test\n", []string{"Never: Git: push", "Always: Git: test"},
		},
		"paragraphs, quotations and numbered rules are items": {
			"## A\n\nOne. Two.\nThree.\n\n> Said.\n> So.\n\n1. First\n2) Second\n", []string{"A: One. Two. Three.", "A: Said. So.", "A: 1. First", "A: 2. Second"},
		},
		"a row of a table is a fact": {
			"## A\n\nNever:\n\n| use | not |\n|---|:-:|\n| `a|b` | c |\n| d | |\n\n- later\n", []string{"A: later", "fact: A: Never: use: `a|b`; not: c", "fact: A: Never: use: d"},
		},
		"a line with a colon is in front of its list alone": {
			"## A\n\nNever:\n\n- push\n- pull\n\nUse Go.\n", []string{"A: Never: push", "A: Never: pull", "A: Use Go."},
		},
		"a colon ends a sentence: those before it are an item": {
			"## A\n\nThese are no laws. Decide by:\n\n- size\n", []string{"A: These are no laws.", "A: Decide by: size"},
		},
		"a bold line is in front of the paragraphs below it": {
			"## A\n\n**Never**\n\npush.\n\npull.\n\n**Always**\n\ntest.\n", []string{"A: Never: push.", "A: Never: pull.", "A: Always: test."},
		},
		"a bold line above a list is in front of the list alone": {
			"## A\n\n**Never**\n- push\n\ntest first.\n", []string{"A: Never: push", "A: test first."},
		},
		"bold lines below each other are rules": {
			"## A\n\n**Never push**\n\n**Always test.**\n\nWhy not?\n", []string{"A: Never push", "A: Always test.", "A: Why not?"},
		},
		"labels below each other stand in front in their order": {
			"## A\n\nNever:\n\n**Git:**\n\n- push\n", []string{"A: Never: Git: push"},
		},
		"a sentence above a list is a rule of its own": {
			"## A\n\nAnswer in short sentences.\n\n- Never push on Friday.\n\n常に短く答える。\n- 金曜日には公開しない\n",
			[]string{"A: Answer in short sentences.", "A: Never push on Friday.", "A: 常に短く答える。", "A: 金曜日には公開しない"},
		},
		"a bold sentence above a list is an item, and in front of the list": {
			"## A\n\n**These are forbidden.**\n\n- push\n", []string{"A: These are forbidden.", "A: These are forbidden: push"},
		},
		"a line above a list that is no sentence is in front of the list alone": {
			"## A\n\nThese are forbidden\n- push\n", []string{"A: These are forbidden: push"},
		},
		"capital letters are letters": {"## A\n\n- ПИШИ ТЕСТЫ\n\n> **ASK FIRST.**\n", []string{"A: ПИШИ ТЕСТЫ", "A: ASK FIRST."}},
		"a parent is in front of the items below it": {
			"## A\n\n- Never\n  - push\n    - to main\n- **Always**\n  - test\n", []string{"A: Never", "A: Never: push", "A: Never: push: to main", "A: Always: test"},
		},
		"a label in a numbered list holds for the bullets below it": {
			"## A\n\n1. Always:\n- test\n\n2. Never:\n- push\n- pull\n", []string{"A: 1. Always: test", "A: 2. Never: push", "A: 2. Never: pull"},
		},
		"a list whose numbers are all 1 is counted": {
			"## A\n\n1. build\n1. tag\n1. push\n", []string{"A: 1. build", "A: 2. tag", "A: 3. push"},
		},
		"tags are labels, those of HTML are not": {
			"## A\n\n<never>\n- push\n</never>\n\n<rule>test</rule>\n\n<details>\n<summary>No</summary>\n\npull\n</details>\n\n<id> is a number\n", []string{"A: never: push", "A: rule: test", "A: No: pull", "A: <id> is a number"},
		},
		"code stays in the file and is named": {
			"## A\n\nUse the client:\n\n```go\n- x\n```\n\n- Build\n  ```\n  make\n  ```\n- Tag\n\n    code\n", []string{"A: Use the client (code in AGENTS.md)", "A: Build (code in AGENTS.md)", "A: Tag code"},
		},
		"nothing before a dash or a colon is cut": {
			"## A\n\n- Never – push\n- Not: pull\n- **No** — merge\n", []string{"A: Never – push", "A: Not: pull", "A: No — merge"},
		},
		"lines with a sign or a bold label each are items each": {
			"## A\n\n✅ test\n❌ push\n\n**Do**: a\n**Not**: b\n\nA long line that\n**must** go on\n", []string{"A: ✅ test", "A: ❌ push", "A: Do: a", "A: Not: b", "A: A long line that must go on"},
		},
		"a line goes on below, after an empty line too": {
			"## A\n\n- Prefer small\nfunctions\n\n  and files\n- b\n", []string{"A: Prefer small functions and files", "A: b"},
		},
		"a label with nothing below it is an item": {
			"## A\n\n**Never push**\n\n## B\n\nDo not pull:\n\n---\n\nx y\n", []string{"A: Never push", "B: Do not pull:", "B: x y"},
		},
		"what memctl wrote, comments, and what is done stay in the file": {
			"## A\n\n- [x] done\n- [ ] open\n<!-- no\n\n- no -->\n<!-- memctl:begin -->\n- ours\n<!-- memctl:end -->\n- [to A](#a)\n- text <!-- c --> text\n", []string{"A: open", "A: text  text"},
		},
	} {
		t.Run(name, func(t *testing.T) { same(t, texts(t, test.text), test.want) })
	}
}

// TestLabelsInManyLanguages: no label is lost in any of the places that a label has, whatever the language.
func TestLabelsInManyLanguages(t *testing.T) {
	for language, w := range map[string][2]string{
		"German": {"Auf keinen Fall", "nach main pushen"}, "French": {"À ne jamais faire", "pousser sur main"}, "Spanish": {"Queda prohibido", "subir a main"},
		"Portuguese": {"Nunca fazer", "enviar para main"}, "Russian": {"Нельзя", "пушить в main"}, "Chinese": {"严禁", "直接推送到主分支"}, "Japanese": {"禁止事項", "mainへの直接プッシュ"},
		"Korean": {"하지 말 것", "main에 바로 푸시"}, "Arabic": {"لا تفعل", "الدفع إلى الفرع الرئيسي"}, "Hindi": {"कभी न करें", "मुख्य शाखा पर पुश"}, "Turkish": {"Asla yapma", "main dalına göndermek"},
		"Polish": {"Nie wolno", "wypychać do main"},
	} {
		label, rule := w[0], w[1]
		for place, text := range map[string]string{
			"heading": "# P\n\n## LABEL\n\n- RULE\n", "title": "# LABEL\n\n- RULE\n", "heading above": "# P\n\n## LABEL\n\n### Git\n\n- RULE\n", "setext": "# P\n\nLABEL\n-----\n\n- RULE\n",
			"bold": "# P\n\n**LABEL**\n\n- RULE\n", "bold, no blank line": "# P\n\n**LABEL**\n- RULE\n", "bold and colon": "# P\n\n**LABEL:**\n\n- RULE\n", "colon": "# P\n\nLABEL:\n- RULE\n", "full-width colon": "# P\n\nLABEL：\n\n- RULE\n",
			"bold sentence": "# P\n\n**LABEL.**\n\n- RULE\n", "parent": "# P\n\n- LABEL\n  - RULE\n", "bold parent": "# P\n\n- **LABEL**\n    - RULE\n", "numbered parent": "# P\n\n2. LABEL:\n- RULE\n", "full-width number": "# P\n\n２．LABEL：\n- RULE\n",
			"tag": "# P\n\n<LABEL>\n- RULE\n</LABEL>\n", "summary": "# P\n\n<details><summary>LABEL</summary>\n\n- RULE\n\n</details>\n", "paragraph": "# P\n\n**LABEL**\n\nRULE\n", "dash": "# P\n\n- LABEL – RULE\n", "quotation": "# P\n\n> LABEL:\n> - RULE\n",
			"table": "# P\n\nLABEL:\n\n| x |\n|---|\n| RULE |\n", "column": "# P\n\n| LABEL |\n|---|\n| RULE |\n", "other bullets": "# P\n\nLABEL:\n\n• RULE\n", "two lines": "# P\n\nLABEL:\nRULE\n", "italics": "# P\n\n*LABEL*\n\n1. RULE\n",
		} {
			if place == "tag" {
				label = "never_do" // names of tags are ASCII
			}
			list := texts(t, strings.NewReplacer("LABEL", label, "RULE", rule).Replace(text))
			if found := slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, rule) }); !found {
				t.Errorf("%s, %s: the rule is lost: %q", language, place, list)
			}
			for _, s := range list {
				if before, _, ok := strings.Cut(s, rule); ok && !strings.Contains(before, label) {
					t.Errorf("%s, %s: %q has lost its label", language, place, s)
				}
			}
			label = w[0]
		}
	}
}

// TestStepsKeepTheirOrder: the key of a numbered rule begins with the numbers of its place, in digits of any script.
func TestStepsKeepTheirOrder(t *testing.T) {
	for _, text := range []string{"1. eins\n2. zwei\n   - darunter\n10. zehn\n", "١. واحد\n٢. اثنان\n   - تحته\n١٠. عشرة\n", "१. एक\n२. दो\n   - नीचे\n१०. दस\n", "１．一\n２．二\n   - 下面\n１０．十\n", "1、一\n2、二\n   - 下面\n10、十\n"} {
		res := read(t, Agents, File{Name: "AGENTS.md", Data: []byte("## A\n\n" + text)})
		var got []string
		for _, c := range items(res) {
			got = append(got, c.Key[:4]+" "+strings.Join(strings.Split(c.Value.Plain(), ": ")[:2], ": ")[:5])
		}
		same(t, got, []string{"a.01 A: 1.", "a.02 A: 2.", "a.02 A: 2.", "a.10 A: 10"})
	}
}

// TestLongTextsAreSplitAtSentences: each part has the labels, and nothing is lost.
func TestLongTextsAreSplitAtSentences(t *testing.T) {
	for _, sentence := range []string{"Never push to the main branch by hand. ", "禁止直接推送到主分支。", "मुख्य शाखा पर कभी पुश न करें। "} {
		text := strings.Repeat(sentence, 100)
		list := texts(t, "## Git\n\n**Rules**\n\n"+text+"\n")
		whole := ""
		for _, s := range list {
			rest, ok := strings.CutPrefix(s, "Git: Rules: ")
			if whole += rest; !ok || len(s) > maxValue {
				t.Errorf("%d bytes: %.60s", len(s), s)
			}
		}
		if squeeze := strings.NewReplacer(" ", ""); squeeze.Replace(whole) != squeeze.Replace(text) || len(list) < 2 {
			t.Errorf("%d parts, %d bytes of %d", len(list), len(whole), len(text))
		}
	}
}

// TestWhereRulesApply: the folder of a nested file and the globs of a rule file.
func TestWhereRulesApply(t *testing.T) {
	for name, test := range map[string]struct {
		front, folder string
		want          []string
	}{
		"globs":                         {"globs: src/api/**/*.ts, src/web/*.ts", "", []string{"src/api/**/*.ts", "src/web/*.ts"}},
		"a list":                        {"paths:\n  - \"cmd/**\"", "", []string{"cmd/**"}},
		"an ending":                     {"globs: *.ts", "", []string{"**/*.ts"}},
		"braces":                        {"applyTo: '**/*.{ts,tsx}, docs/*.md'", "", []string{"**/*.ts", "**/*.tsx", "docs/*.md"}},
		"a list in brackets":            {"globs: [\"a/**\", 'b/**']", "", []string{"a/**", "b/**"}},
		"files everywhere":              {"globs: src/**, **", "", nil},
		"always":                        {"globs: src/**\nalwaysApply: true", "", nil},
		"a path that leads out":         {"globs: ../x/**", "", nil},
		"a nested file":                 {"", "packages/api", []string{"packages/api/**"}},
		"globs of a nested file":        {"globs: src/**, *.ts", "packages/web", []string{"packages/web/src/**", "packages/web/**/*.ts"}},
		"everywhere in a nested folder": {"globs: '**'", "packages/web", []string{"packages/web/**"}},
		"always in a nested folder":     {"alwaysApply: true", "packages/web", []string{"packages/web/**"}},
		"no globs":                      {"description: rules", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			res := read(t, Cursor, File{Name: "a.mdc", Folder: test.folder, Data: []byte("---\n" + test.front + "\n---\n# Go\n\n- Always wrap errors\n\n| a |\n|---|\n| b |\n")})
			if len(items(res)) != 1 || len(entries(res)) != 1 || !slices.Equal(items(res)[0].Paths, test.want) || !slices.Equal(entries(res)[0].Entry.Paths, test.want) {
				t.Errorf("got %+v, want paths %v", items(res), test.want)
			}
		})
	}
}

// TestPersonalHeadings finds those in many languages, and no others.
func TestPersonalHeadings(t *testing.T) {
	for head, want := range map[string]bool{
		"Personal": true, "About me": true, "My preferences": true, "🙋 Personal preferences": true, "Persönlich": true, "Über mich": true, "Mes préférences": true, "Sobre mí": true, "Sobre mim": true, "Личное": true,
		"我的偏好": true, "個人設定": true, "개인 설정": true, "عني": true, "मेरे नियम": true,
		"Personal data": false, "Private methods": false, "Code style": false, "Mesures": false, "Memory": false, "MySQL": false, "Monitoring": false, "Media": false, "Meilensteine": false,
	} {
		res := read(t, Agents, File{Name: "AGENTS.md", Data: []byte("# P\n\n## " + head + "\n\n### Git\n\n- x y\n")})
		if got := items(res)[0].Personal != ""; got != want {
			t.Errorf("%s: %t", head, got)
		}
	}
}

// TestPartsSayWhatStaysInTheFile: what is left has a reason, and what is only a label is not listed.
func TestPartsSayWhatStaysInTheFile(t *testing.T) {
	res := read(t, Agents, File{Name: "AGENTS.md", Data: []byte("# P\n\nRead @docs/a.md and @types/node, not `@x/y.md` or @ada.\n\n@docs/b.md\n\n## Build\n\n```\nmake\n```\n\n- [x] done\n- [A](#a)\n\n## Git\n\n**Never**\n- push\n")})
	var list []string
	for _, p := range res.Rows {
		if p.Left != "" && !p.Quiet {
			list = append(list, strconv.Itoa(p.Line)+" "+p.Left)
		}
	}
	same(t, list, []string{"5 it includes another file", "7 nothing below it is imported", "9 code stays in the file", "13 it is ticked off", "14 it is a link within the file"})
	same(t, res.Includes, []string{"docs/a.md", "types/node", "docs/b.md"})
}
