package notice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/labels"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/ledger"
	"github.com/memctl/memctl/store/localstate"
	"github.com/memctl/memctl/transcript"
)

const (
	lessonPrefix = "lessons."
	// maxLessonKey bounds a lesson's key, in bytes.
	maxLessonKey = 48
)

// propose puts a lesson before the person, unless memory has one of that key, the person
// forgot or dropped it, or the policy does not accept it. A proposal that cannot be stored is
// not worth an error: the command will fail again if it matters.
func (l *learner) propose(r localstate.Reading, lesson transcript.Lesson) {
	key, value := lessonKey(lesson), lessonValue(lesson)
	if l.rule(key, value).Verdict != policy.Accept || l.isKnown(key) {
		return
	}
	if dropped, err := localstate.DroppedStatements(l.ss); err != nil || dropped(value.Plain()) {
		return
	}
	st, err := l.ss.Get(l.ctx, memory.SaidScope(l.ss, false))
	if err != nil {
		return
	}
	_ = ledger.Enqueue(l.ctx, st, ledger.Waiting{
		Act: "add", Key: key, Value: value, Labels: labels.Labels{Confidence: memfile.Low},
		Origin: memory.Automatic, Agent: r.Agent, Why: ledger.WhyHeld, Said: difference(lesson), Session: r.Session,
	}, hookWait)
}

// isKnown reports whether a scope has an item of the key, or had one that was forgotten.
func (l *learner) isKnown(key string) bool {
	stores, err := memory.StoresOf(l.ctx, l.ss, "")
	if err != nil {
		return true
	}
	for _, st := range stores {
		m, err := contents.Read(l.ctx, st)
		if err != nil || slices.ContainsFunc(m.Items, func(it contents.Item) bool { return it.Key == key }) ||
			slices.ContainsFunc(m.Deletions, func(t memfile.Tombstone) bool { return contents.Buries(t, key) }) {
			return true
		}
	}
	return false
}

// lessonKey names a lesson by the command and by the words that made it pass.
func lessonKey(lesson transcript.Lesson) string {
	words := lesson.Added
	if len(words) == 0 {
		words = lesson.Removed
	}
	var parts []string
	for _, word := range append(strings.Fields(lesson.Command), words...) {
		for part := range strings.FieldsFuncSeq(strings.ToLower(word), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
			if next := append(parts, part); !slices.Contains(parts, part) && len(lessonPrefix+strings.Join(next, "-")) <= maxLessonKey {
				parts = next
			}
		}
	}
	if len(parts) == 0 {
		parts = []string{"command"} // no word of it is in a key's letters
	}
	return lessonPrefix + strings.Join(parts, "-")
}

// lessonValue holds the last command line that failed and the one that passed.
func lessonValue(lesson transcript.Lesson) memfile.Value {
	failed := lesson.Failed[len(lesson.Failed)-1]
	outcome := "an error"
	if failed.Exit > 0 {
		outcome = fmt.Sprintf("exit status %d", failed.Exit)
	}
	return memfile.Value{Kind: memfile.Map, Map: []memfile.Field{
		{Name: "issue", Value: memfile.Str("`" + failed.Command + "` fails")},
		{Name: "outcome", Value: memfile.Str(outcome)},
		{Name: "fix", Value: memfile.Str("`" + lesson.Passed + "` passes")},
	}}
}

// difference says what a session shows: how often the command failed, and what changed.
func difference(lesson transcript.Lesson) string {
	times := 0
	for _, f := range lesson.Failed {
		times += f.Times
	}
	text := fmt.Sprintf("failed %d times, then passed", times)
	if len(lesson.Added) > 0 {
		text += " with " + strings.Join(lesson.Added, " ")
	}
	if len(lesson.Removed) > 0 {
		text += " without " + strings.Join(lesson.Removed, " ")
	}
	return text
}
