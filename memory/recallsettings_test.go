package memory_test

import (
	"context"
	"strings"
	"testing"

	"github.com/memctl/memctl/memory/briefing"
)

// A hook answers with the default of a setting that is out of its range.
func TestWrongNumbersStopAPersonAndNoHook(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	rememberAll(t, dir, "Builds need Go 1.26.")
	env := map[string]string{"MEMCTL_RECALL_K1": "11"}
	_, err := briefing.Recall(context.Background(), storesAt(t, dir, env), briefing.RecallOptions{}, briefing.RecallRequest{Query: "builds"})
	if err == nil || !strings.Contains(err.Error(), `"memctl.recall.k1": "11" (from environment variable MEMCTL_RECALL_K1) is not a number from 0 to 10`) {
		t.Errorf("a person is told %v", err)
	}
	got, notes := recallTexts(t, dir, env, briefing.RecallOptions{Agent: true, Guarded: true}, "builds")
	if len(got) != 1 || len(notes) != 1 || !strings.Contains(notes[0], "memctl.recall.k1") {
		t.Errorf("a hook finds %q, notes %q", got, notes)
	}
}

func TestChunksAreAsLongAsTheSettingSays(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	rememberAll(t, dir, "Kettle: "+strings.Repeat("boil the water twice. ", 10)+"\n\nKettle: "+strings.Repeat("pour it slowly. ", 10))
	for size, whole := range map[string]bool{"": true, "200": false, "60000": true} {
		got, _ := recallTexts(t, dir, map[string]string{briefing.RecallChunk.Env: size}, briefing.RecallOptions{}, "kettle water pour")
		if len(got) != 1 || (len(got[0]) > 300) != whole {
			t.Errorf("chunks of %q bytes: got %q, want one hit, the whole text: %v", size, got, whole)
		}
	}
}
