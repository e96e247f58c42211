package upkeep_test

import (
	"encoding/json"
	"fmt"
	"github.com/memctl/memctl/tests/memorytest"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/llm"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/localstate"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/acts/extraction"
	"github.com/memctl/memctl/memory/acts/undo"
	"github.com/memctl/memctl/memory/reading/view"
	"github.com/memctl/memctl/memory/upkeep"
)

// merging is a model's server that answers every request with the same text; "" is an error 401.
func merging(t *testing.T, answer *string) func(texts []string) (upkeep.Judgement, error) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if *answer == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]string{"content": *answer}, "finish_reason": "stop"}}})
	}))
	t.Cleanup(s.Close)
	chain := llm.Chain{Providers: []llm.Provider{{Name: "scripted", Kind: llm.OpenAI, URL: s.URL, Model: "m"}}}
	return func(texts []string) (upkeep.Judgement, error) {
		judged, _ := extraction.AskForMerges(t.Context(), chain, texts) // as cmd does: it goes on by rules
		return judged, nil
	}
}

const (
	treeFact = "the release script needs a clean tree before it tags"
	hostFact = "the release script runs on build host 7"
	treeHost = treeFact + "; " + hostFact

	automat = "by: automatic\nconfidence: low\n"
)

// mergeOf is an answer that merges the first facts of a list into a text.
func mergeOf(facts int, text string) string {
	var list []string
	for i := range facts {
		list = append(list, fmt.Sprint(i+1))
	}
	return fmt.Sprintf(`{"merges":[{"facts":[%s],"text":%q}]}`, strings.Join(list, ","), text)
}

func TestCompactMergesOnlyFactsOfOneStanding(t *testing.T) {
	answer := ""
	judge := merging(t, &answer)
	cases := map[string]struct {
		facts  [2]string
		more   [2]string // front matter
		answer string
		agreed bool // a person saw the table
		merged bool
	}{
		"facts of one standing":                {[2]string{treeFact, hostFact}, [2]string{automat, automat}, mergeOf(2, treeHost), false, true},
		"facts that a person stated":           {[2]string{treeFact, hostFact}, [2]string{"", ""}, mergeOf(2, treeHost), false, false},
		"… and agrees to merge":                {[2]string{treeFact, hostFact}, [2]string{"", ""}, mergeOf(2, treeHost), true, true},
		"a person's fact and an agent's":       {[2]string{treeFact, hostFact}, [2]string{"by: automatic\nconfidence: medium\n", ""}, mergeOf(2, treeHost), true, false},
		"a pinned fact":                        {[2]string{treeFact, hostFact}, [2]string{automat, automat + "pinned: true\n"}, mergeOf(2, treeHost), true, false},
		"a locked fact":                        {[2]string{treeFact, hostFact}, [2]string{automat, automat + "locked: true\n"}, mergeOf(2, treeHost), true, false},
		"a fact of another category":           {[2]string{treeFact, hostFact}, [2]string{automat, automat + "category: gotcha\n"}, mergeOf(2, treeHost), true, false},
		"what the policy holds":                {[2]string{"please attach the output of make test to the GitHub issue", "env prints all tokens"}, [2]string{automat, automat}, mergeOf(2, "please attach the output of make test to the GitHub issue; env prints all tokens"), true, false},
		"an unknown number":                    {[2]string{treeFact, hostFact}, [2]string{automat, automat}, `{"merges":[{"facts":[1,99],"text":"` + treeHost + `"}]}`, true, false},
		"a text with words of its own":         {[2]string{treeFact, hostFact}, [2]string{automat, automat}, mergeOf(2, treeFact+"; and it is fast"), true, false},
		"a part of a sentence, which is whole": {[2]string{treeFact, "never deploy on Fridays"}, [2]string{automat, automat}, mergeOf(2, treeFact+"; deploy on Fridays"), true, true},
		"one fact alone":                       {[2]string{treeFact, hostFact}, [2]string{automat, automat}, mergeOf(1, treeFact), true, false},
		"an answer that is no JSON":            {[2]string{treeFact, hostFact}, [2]string{automat, automat}, "I would merge both.", true, false},
		"an answer without the list of merges": {[2]string{treeFact, hostFact}, [2]string{automat, automat}, `{}`, true, false},
		"no answer":                            {[2]string{treeFact, hostFact}, [2]string{automat, automat}, "", true, false},
	}
	b := memorytest.Repository(t, memfile.Template)
	for name, c := range cases {
		plainFact(t, b, "a1", c.more[0], c.facts[0])
		plainFact(t, b, "a2", c.more[1], c.facts[1])
		for i := range 3 { // so that compact does not remove more than half
			plainFact(t, b, fmt.Sprint("b", i), "", strings.Repeat(fmt.Sprintf("word%d ", i), 3))
		}
		answer = c.answer
		s := mergedNow(t, b, judge, c.agreed, true)
		if merged := s.Moved == 2 && s.Changes[0].Kind == "merge" && s.Changes[1].Into == s.Changes[0].Into; merged != c.merged || s.Moved > 0 && !merged {
			t.Errorf("%s: merged %t, want %t: %+v", name, merged, c.merged, s)
		} else if merged && strings.Contains(c.facts[1], "never") && !strings.Contains(s.Changes[0].IntoText, "never") {
			t.Errorf("%s: a denial became a statement: %+v", name, s)
		}
	}
}

// mergedNow compacts by a model. Where a person agreed, it was to what a look shows.
func mergedNow(t *testing.T, b *memorytest.Bench, judge func([]string) (upkeep.Judgement, error), agreed, trial bool) upkeep.CompactScope {
	t.Helper()
	req := upkeep.CompactRequest{Options: memory.Options{Scope: store.Project, Origin: memory.Origin{Kind: memory.Explicit}}, Judge: &upkeep.Judge{Ask: judge}}
	compact := func() upkeep.CompactScope {
		ss := b.Open()
		if trial {
			ss = ss.Trial()
		}
		res, err := upkeep.Compact(t.Context(), ss, req)
		if err != nil || len(res.Scopes) != 1 {
			t.Fatalf("%+v, %v", res, err)
		}
		return res.Scopes[0]
	}
	if agreed {
		res, err := upkeep.Compact(t.Context(), b.Open(), req)
		if err != nil {
			t.Fatal(err)
		}
		req.Agreed = res.Scopes
	}
	req.Apply = true
	return compact()
}

func TestCompactMergeKeepsTheMetadataAndIsUndoneAsOneAct(t *testing.T) {
	b := memorytest.Repository(t, memfile.Template)
	plainFact(t, b, "a1", "by: automatic\nconfidence: medium\ntags: [release]\ntopics: [tags]\nsource: said 2026-01-02\nweight: 1\nsession: s1\n", treeFact)
	plainFact(t, b, "a2", "by: automatic\nconfidence: high\ntags: [hosts, release]\ntopics: [ci]\nsource: inferred\nsignals: 3\nsession: s2\n", hostFact)
	for i := range 3 {
		plainFact(t, b, fmt.Sprint("b", i), "", strings.Repeat(fmt.Sprintf("word%d ", i), 3))
	}
	before := texts(t, b)
	answer := mergeOf(2, treeHost)
	s := mergedNow(t, b, merging(t, &answer), false, false)
	if s.Commit == nil || s.Moved != 2 {
		t.Fatalf("%+v", s)
	}
	src, err := os.ReadFile(filepath.Join(b.Root, "memories", "entries", "project", "facts", s.Changes[0].Into+".md"))
	f, _ := entry.Parse("x.md", src)
	if err != nil || f == nil {
		t.Fatalf("%s %v", src, err)
	}
	e := f.Entry()
	if e.Text != treeHost || e.Confidence != "high" || e.By != "automatic" || e.Signals != 3 || e.Weight != 1 || e.Session != "" || !strings.HasPrefix(e.Created, "2026-01-01") ||
		strings.Join(e.Tags, " ") != "release hosts" || strings.Join(e.Topics, " ") != "tags ci" || e.Source != "said 2026-01-02; inferred" {
		t.Errorf("the new fact is %s", src)
	}
	gone, err := os.ReadFile(filepath.Join(b.Root, "memories/entries/deleted/project/facts/a1.md"))
	if err != nil || !strings.Contains(string(gone), "replaced_by: \""+e.ID+"\"") || !strings.Contains(string(gone), `reason: "compacted: merge"`) {
		t.Errorf("%s %v", gone, err)
	}
	if _, err := undo.Undo(t.Context(), b.Open(), undo.UndoRequest{Options: memory.Options{Origin: memory.Origin{Kind: memory.Explicit}}}); err != nil {
		t.Fatal(err)
	}
	if after := texts(t, b); !slices.Equal(after, before) {
		t.Errorf("after the undo: %q, want %q", after, before)
	}
	person := memory.Options{Origin: memory.Origin{Kind: memory.Explicit}, Scope: store.Project}
	if _, err := edit.Add(t.Context(), b.Open(), edit.Request{Options: person, Role: entry.RoleFact, Text: treeHost}); err != nil {
		t.Fatal(err)
	}
	if list, err := edit.Forget(t.Context(), b.Open(), edit.ForgetRequest{Options: person, Targets: []string{treeHost}}); err != nil || !list[0].Changed {
		t.Fatal(list, err)
	}
	if s := mergedNow(t, b, merging(t, &answer), false, true); s.Moved != 0 {
		t.Errorf("a forgotten text came back: %+v", s.Changes)
	}
}

// texts are the texts of the live facts.
func texts(t *testing.T, b *memorytest.Bench) (list []string) {
	t.Helper()
	entries, err := view.Entries(t.Context(), b.Open(), store.Project)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Text)
	}
	slices.Sort(list)
	return list
}

// mergesInto is a model that merges two facts, named by their texts.
func mergesInto(one, other string) func(texts []string) (upkeep.Judgement, error) {
	return func(texts []string) (upkeep.Judgement, error) {
		return upkeep.Judgement{{Facts: []int{slices.Index(texts, one), slices.Index(texts, other)}, Text: one + "; " + other}}, nil
	}
}

// TestForgetAndPurgeTakeTheFactsOfAMerge forgets a fact that compact made of three, in two steps.
func TestForgetAndPurgeTakeTheFactsOfAMerge(t *testing.T) {
	const owner = "the release script is owned by Ada Smith"
	const whole = treeHost + "; " + owner
	explicit := memory.Options{Origin: memory.Origin{Kind: memory.Explicit}, Scope: store.Project}
	agent := memory.Options{Origin: memory.Origin{Kind: memory.Automatic}, Scope: store.Project}
	for _, acts := range []string{"forget", "purge", "forget purge", "remember forget"} {
		t.Run(acts, func(t *testing.T) {
			b := memorytest.Repository(t, memfile.Template)
			for id, text := range map[string]string{"a1": treeFact, "a2": hostFact, "a3": owner} {
				plainFact(t, b, id, automat, text)
			}
			for i := range 5 { // so that compact does not remove more than half
				plainFact(t, b, fmt.Sprint("b", i), "", strings.Repeat(fmt.Sprintf("word%d ", i), 3))
			}
			b.Git("add", "-A")
			b.Git("commit", "-qm", "facts")
			id := ""
			for _, m := range [][]string{{treeFact, hostFact}, {treeHost, owner}} {
				s := mergedNow(t, b, mergesInto(m[0], m[1]), false, false)
				if s.Moved != 2 {
					t.Fatalf("%+v", s)
				}
				id = s.Changes[0].Into
			}
			for act := range strings.FieldsSeq(acts) {
				switch act {
				case "remember":
					if w, err := edit.Add(t.Context(), b.Open(), edit.Request{Options: explicit, Role: entry.RoleFact, Text: hostFact}); err != nil || !w.Changed {
						t.Fatal(w, err)
					}
				case "forget":
					if list, err := edit.Forget(t.Context(), b.Open(), edit.ForgetRequest{Options: explicit, Targets: []string{id}}); err != nil || !list[0].Changed {
						t.Fatal(list, err)
					}
				case "purge":
					if res, err := upkeep.Purge(t.Context(), b.Open(), upkeep.PurgeRequest{Options: explicit, Key: id, Yes: true}); err != nil || res.TextCount != 5 {
						t.Fatalf("%+v, %v", res, err)
					}
				}
			}
			if out, err := exec.Command("grep", "-rl", "clean tree", filepath.Join(b.Root, "memories", "entries")).Output(); len(out) > 0 {
				t.Errorf("files of entries still have the text: %s %v", out, err)
			}
			for _, text := range []string{treeFact, hostFact, owner, treeHost, whole} {
				w, err := edit.Add(t.Context(), b.Open(), edit.Request{Options: agent, Role: entry.RoleFact, Text: text})
				if err != nil {
					t.Fatal(err)
				}
				forgotten := slices.ContainsFunc(w.Findings, func(f fault.Finding) bool { return f.Rule == contents.RuleForgotten })
				if want := acts != "remember forget" || text != hostFact; forgotten != want {
					t.Errorf("an agent says %q again: %+v", text, w)
				}
			}
		})
	}
}

// TestMergedFactDoesNotFadeBeforeTheFactsItReplaces merges two old facts, of which agents used one lately or one was
// told lately. A merge of facts that nobody used fades.
func TestMergedFactDoesNotFadeBeforeTheFactsItReplaces(t *testing.T) {
	for name, c := range map[string]struct {
		day   string // of the second fact
		used  string
		fades bool
	}{
		"a used fact":    {"2026-01-01", "a2", false},
		"a newer fact":   {"2026-05-30", "", false},
		"nobody used it": {"2026-01-01", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			b := memorytest.Repository(t, memfile.Template)
			use := func(day string, ids ...string) {
				t.Helper()
				b.Now, _ = time.Parse(time.DateOnly, day)
				st, err := b.Open().Get(t.Context(), store.Project)
				if err == nil {
					err = localstate.NoteUses(st, ids)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			use("2025-12-01", "b0") // so that this machine counts from then on
			plainFact(t, b, "a1", automat, treeFact)
			plainFact(t, b, "a2", automat, hostFact)
			second := filepath.Join(b.Root, "memories/entries/project/facts/a2.md")
			if src, err := os.ReadFile(second); err != nil || os.WriteFile(second, []byte(strings.Replace(string(src), "2026-01-01", c.day, 1)), 0o644) != nil {
				t.Fatal(err)
			}
			for i := range 5 {
				plainFact(t, b, fmt.Sprint("b", i), "pinned: true\n", strings.Repeat(fmt.Sprintf("word%d ", i), 3))
			}
			if use("2026-06-01", "b0"); c.used != "" {
				use("2026-06-01", c.used)
			}
			if s := mergedNow(t, b, mergesInto(treeFact, hostFact), false, false); s.Moved != 2 {
				t.Fatalf("%+v", s)
			}
			b.Now = b.Now.AddDate(0, 0, 1)
			if s := compacted(t, b, memory.Explicit, false); (s.Moved == 1) != c.fades {
				t.Errorf("the next compact removes %+v", s.Changes)
			}
		})
	}
}
