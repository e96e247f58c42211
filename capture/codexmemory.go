package capture

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/entry"
)

// The files of the folder that Codex keeps its memory in. MEMORY.md has a heading for each group of
// tasks; the others are what it was made of.
const (
	codexSummary = "memory_summary.md"
	codexRaw     = "raw_memories.md"
	codexGroup   = "Task Group:"
)

// codexFolder reports whether files are those of Codex' memory folder.
func codexFolder(files []File) bool {
	return slices.ContainsFunc(files, func(f File) bool { return f.Name == codexSummary || f.Name == codexRaw })
}

// isCodexMemory reports whether a MEMORY.md is one of Codex.
func isCodexMemory(data []byte) bool { return strings.HasPrefix(string(data), "# "+codexGroup) }

// codexMemory reads one file of Codex' memory: a list item of MEMORY.md becomes a fact, with the group
// of tasks as its topic. Codex keeps one memory for all projects, so the facts go to the user's store.
func (r *reading) codexMemory(f File) {
	switch at := path.Dir(f.Name); {
	case f.Name == codexSummary, f.Name == codexRaw:
		r.notRead(f, "Codex has the same in MEMORY.md")
		return
	case strings.HasPrefix(at, "rollout_summaries"):
		r.notRead(f, "it sums up one session")
		return
	case strings.HasPrefix(at, "skills"):
		r.notRead(f, "import does not read skills")
		return
	}
	_, body, first := frontMatter(string(f.Data))
	r.head(first, "it describes the file")
	p := page{reading: r}
	group, under := "", ""
	blocks := r.scan(body, first)
	for i := 0; i < len(blocks); i++ {
		b := blocks[i]
		switch {
		case b.kind == heading && b.level == 1:
			group, under = strings.TrimSpace(strings.TrimPrefix(b.text, codexGroup)), ""
		case b.kind == heading:
			under = strings.ToLower(b.text)
		case b.kind == paragraph:
			r.leave(b.parts, "it says what the lines below are about")
		case b.kind == bullet:
			end := i + 1
			for end < len(blocks) && blocks[end].kind == bullet && blocks[end].level > b.level {
				end++
			}
			r.codexFact(blocks[i:end], group, under)
			i = end - 1
		}
	}
	p.read(nil)
}

// codexFact makes a fact of a list item with those below it.
func (r *reading) codexFact(items []block, group, under string) {
	var texts []string
	var parts []int
	for _, it := range items {
		texts, parts = append(texts, codexMarks().ReplaceAllString(plainInline(it.text), "")), append(parts, it.parts...)
	}
	if under == "keywords" || strings.HasPrefix(under, "rollout") {
		r.leave(parts, "it serves Codex' own search")
		return
	}
	e := entry.Entry{Role: entry.RoleFact, Text: strings.Join(texts, "; "), Category: "fact"}
	switch {
	case strings.Contains(under, "preference"):
		e.Category = "preference"
	case strings.Contains(under, "fail"):
		e.Category = "gotcha"
	}
	if group != "" {
		e.Topics = []string{group}
	}
	if strings.TrimSpace(e.Text) == "" || !r.addEntry(EntryLine{Line: items[0].line, Entry: e, Scope: userScope}) {
		return
	}
	for _, at := range parts {
		r.parts[at].Entry = len(r.entries)
	}
}

// codexMarks are the marks that name the task or the note that a line was learnt in.
var codexMarks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`( \[(Task \d+|ad-hoc note)\])+$`)
})
