package safefile

import "testing"

// TestWriteCache replaces, and leaves nothing beside the file.
func TestWriteCache(t *testing.T) {
	t.Parallel()
	root, dir := open(t)
	for _, text := range []string{"one", "two", ""} {
		if err := WriteCache(root, "cache", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		wantFile(t, dir, "cache", text)
	}
	put(t, dir, "folder/x", "kept")
	if err := WriteCache(root, "folder", []byte("x"), 0o600); err == nil {
		t.Error("a folder was replaced")
	}
	wantFile(t, dir, "folder/x", "kept")
}
