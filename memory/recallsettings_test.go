package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/recall"
)

func TestEachNumberOfRecallIsRead(t *testing.T) {
	dir := t.TempDir()
	def := recall.DefaultRanking()
	for _, k := range recall.Knobs() {
		other := k.Number.Most
		if other == *k.Of(&def) {
			other = k.Number.Least
		}
		got, err := rankingOf(context.Background(), storesAt(t, dir, map[string]string{k.Env: fmt.Sprint(int(other))}))
		if err != nil || *k.Of(&got) != float64(int(other)) {
			t.Errorf("%s: %g is read as %g, %v", k.Name, other, *k.Of(&got), err)
		}
		*k.Of(&got) = *k.Of(&def)
		if got != def {
			t.Errorf("%s: changes other numbers too: %+v", k.Name, got)
		}
		var wrong *fault.Error
		got, err = rankingOf(context.Background(), storesAt(t, dir, map[string]string{k.Env: "-1"}))
		if !errors.As(err, &wrong) || wrong.Thing != k.Name || got != def {
			t.Errorf("%s: -1 gives %v", k.Name, err)
		}
	}
}

// A hook answers with the default of a setting that is out of its range.
func TestWrongNumbersStopAPersonAndNoHook(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	rememberAll(t, dir, "Builds need Go 1.26.")
	env := map[string]string{"MEMCTL_RECALL_K1": "11"}
	_, err := Recall(context.Background(), storesAt(t, dir, env), RecallOptions{}, RecallRequest{Query: "builds"})
	if err == nil || !strings.Contains(err.Error(), `"memctl.recall.k1": "11" (from environment variable MEMCTL_RECALL_K1) is not a number from 0 to 10`) {
		t.Errorf("a person is told %v", err)
	}
	got, notes := recallTexts(t, dir, env, RecallOptions{Agent: true, Guarded: true}, "builds")
	if len(got) != 1 || len(notes) != 1 || !strings.Contains(notes[0], "memctl.recall.k1") {
		t.Errorf("a hook finds %q, notes %q", got, notes)
	}
}

func TestChunksAreAsLongAsTheSettingSays(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	rememberAll(t, dir, "Kettle: "+strings.Repeat("boil the water twice. ", 10)+"\n\nKettle: "+strings.Repeat("pour it slowly. ", 10))
	for size, want := range map[string]int{"": 1, "200": 2, "60000": 1} {
		got, _ := recallTexts(t, dir, map[string]string{RecallChunk.Env: size}, RecallOptions{}, "kettle water pour")
		if len(got) < want || want == 1 && len(got) > 1 {
			t.Errorf("chunks of %q bytes: %d hits, want %d", size, len(got), want)
		}
	}
}
