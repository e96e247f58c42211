package history

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/recall"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/store/statedir"
	"github.com/memctl/memctl/internal/transcript"
)

// machine is a machine with one folder of transcripts.
type machine struct {
	*testing.T
	dir string
	req Request
}

func newMachine(t *testing.T) *machine {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	return &machine{t, dir, Request{
		Transcripts: Transcripts{ReadSession: func(path string) (transcript.Session, error) { return transcript.Session{Folder: "/repo"}, nil }},
		IndexDir:    statedir.Dir{Folder: filepath.Join(data, "history"), Top: data},
		IsWanted:    func(folder string) bool { return folder == "/repo" },
	}}
}

// write writes a transcript, which is listed if it is new.
func (m *machine) write(name, text string) string {
	m.Helper()
	path := filepath.Join(m.dir, name)
	if _, err := os.Stat(path); err != nil {
		m.req.Files = append(m.req.Files, path)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.Fatal(err)
	}
	return path
}

// find returns the texts of the hits, the best first.
func (m *machine) find(query string) (texts []string) {
	m.Helper()
	lib, err := OpenUpdated(m.Context(), m.req)
	if err != nil {
		m.Fatal(err)
	}
	hits, err := recall.Search(lib.Index, recall.Query{Text: query, Explain: true, Scopes: append(lib.Folders, "none"), Keep: func(d *index.Doc) bool {
		d.Text = lib.ReadText(d)
		return lib.AgentOf(d) != ""
	}})
	if err != nil {
		m.Fatal(err)
	}
	for _, h := range hits { // those beside a hit are hits, too
		if len(h.Matched) > 0 {
			texts = append(texts, h.Text)
		}
	}
	return texts
}

func (m *machine) want(query string, texts ...string) {
	m.Helper()
	if got := strings.Join(m.find(query), "|"); got != strings.Join(texts, "|") {
		m.Errorf("%s: %q, want %q", query, got, texts)
	}
}

const claudeLine = `{"type":"user","message":{"role":"user","content":"TEXT"},"uuid":"TEXT","timestamp":"2026-11-11T08:00:00Z","sessionId":"c1","cwd":"/repo","promptSource":"typed"}` + "\n"

func claude(texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		b.WriteString(strings.ReplaceAll(claudeLine, "TEXT", text))
	}
	return b.String()
}

func TestEveryClientsTurnsAreReadAgain(t *testing.T) {
	for name, text := range map[string]string{
		"claude": claude("look at the moose", "paint the zebra"),
		"codex, a message as an event and as an item": `{"timestamp":"2026-11-12T08:00:00Z","type":"session_meta","payload":{"id":"x1","cwd":"/repo","source":"cli","thread_source":"user"}}
{"timestamp":"2026-11-12T08:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"paint the zebra"}]}}
{"timestamp":"2026-11-12T08:00:01Z","type":"event_msg","payload":{"type":"item_completed","turn_id":"t1","item":{"type":"UserMessage","id":"i1","content":[{"type":"text","text":"paint the zebra"}]}}}
`,
		"gemini, a message written twice": `{"sessionId":"g1","projectHash":"00","startTime":"2026-11-12T08:00:00Z","kind":"main"}
{"id":"m1","timestamp":"2026-11-12T08:00:01Z","type":"user","content":[{"text":"paint the zebra"}]}
{"id":"m2","timestamp":"2026-11-12T08:00:02Z","type":"gemini","content":"Which one?"}
{"id":"m2","timestamp":"2026-11-12T08:00:02Z","type":"gemini","content":"Which one?","toolCalls":[]}
`,
		"copilot": `{"type":"session.start","data":{"sessionId":"p1","context":{"cwd":"/repo"}},"id":"e1","timestamp":"2026-11-13T08:00:00Z"}
{"type":"user.message","data":{"content":"paint the zebra"},"id":"e2","timestamp":"2026-11-13T08:00:01Z"}
`,
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write("s.jsonl", text)
			m.want("zebra", "paint the zebra")
			m.want("zebra", "paint the zebra") // from the index
			m.want("giraffe")
		})
	}
}

func TestATranscriptIsReadOnFromItsEnd(t *testing.T) {
	m := newMachine(t)
	path := m.write("s.jsonl", claude("paint the zebra"))
	m.want("zebra", "paint the zebra")
	m.write("s.jsonl", claude("paint the zebra", "feed the moose")+`{"type":"user","message":{"ro`)
	m.want("moose", "feed the moose")
	m.want("zebra", "paint the zebra")
	m.write("s.jsonl", claude("shorter moose"))
	m.want("zebra")
	m.want("moose", "shorter moose")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	m.req.Files = nil
	m.want("moose")
	if list, _ := filepath.Glob(filepath.Join(m.req.IndexDir.Folder, "*.seg")); len(list) != 0 {
		t.Errorf("the index of a transcript that is gone: %q", list)
	}
}

func TestTheTextOfARewrittenTranscriptIsNoHit(t *testing.T) {
	m := newMachine(t)
	m.write("s.jsonl", claude("paint the zebra"))
	m.want("zebra", "paint the zebra")
	m.req.MaxRead = -1
	m.write("s.jsonl", claude("other words of the person"))
	m.want("zebra", "")
}

func TestADamagedIndexIsBuiltAgain(t *testing.T) {
	m := newMachine(t)
	m.write("s.jsonl", claude("paint the zebra", "feed the moose"))
	m.want("zebra", "paint the zebra")
	for _, name := range []string{listFile, "*" + segmentSuffix} {
		list, _ := filepath.Glob(filepath.Join(m.req.IndexDir.Folder, name))
		if len(list) == 0 {
			t.Fatal(name)
		}
		data, err := os.ReadFile(list[0])
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "zebra") {
			t.Errorf("%s has a word", name)
		}
		for _, size := range []int{0, len(data) / 2, len(data) - 1} {
			if err := os.WriteFile(list[0], data[:size], 0o600); err != nil {
				t.Fatal(err)
			}
			m.want("zebra", "paint the zebra")
		}
	}
}

func TestManyReadingsLeaveFewSegments(t *testing.T) {
	m := newMachine(t)
	var texts []string
	for i := range 40 {
		texts = append(texts, "animal "+strings.Repeat("x", i+2)+" number")
		m.write("s.jsonl", claude(texts...))
		m.write("t"+strings.Repeat("t", i)+".jsonl", claude("another session"))
		m.want(strings.Repeat("x", i+2), texts[i])
	}
	m.want("xxx", "animal xxx number")
	if list, _ := filepath.Glob(filepath.Join(m.req.IndexDir.Folder, "*"+segmentSuffix)); len(list) == 0 || len(list) > maxSegments {
		t.Errorf("%d segments", len(list))
	}
}

func TestSessionsOfOtherFoldersAreNotIndexed(t *testing.T) {
	m := newMachine(t)
	m.write("s.jsonl", claude("paint the zebra"))
	m.req.IsWanted = func(string) bool { return false }
	m.want("zebra")
	if list, _ := filepath.Glob(filepath.Join(m.req.IndexDir.Folder, "*.seg")); len(list) != 0 {
		t.Errorf("an index was written: %q", list)
	}
}

func TestThePersonsWordsComeFirst(t *testing.T) {
	m := newMachine(t)
	assistant := `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Painted zebra, zebra."}]},"uuid":"a","timestamp":"2026-11-11T08:00:00Z","sessionId":"c1","cwd":"/repo"}` + "\n"
	m.write("s.jsonl", assistant+claude("one", "two", "three", "the zebra"))
	m.want("zebra", "the zebra", "Painted zebra, zebra.")
}

func TestReadingStopsAtTheLimit(t *testing.T) {
	m := newMachine(t)
	m.write("old.jsonl", claude("old zebra"))
	m.write("new.jsonl", claude("new zebra"))
	m.req.MaxRead = 1
	m.want("zebra", "new zebra")
	m.req.MaxRead = 0
	m.want("old", "old zebra")
}
