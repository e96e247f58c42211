package memfile

import "testing"

func TestTemplateIsNew(t *testing.T) {
	b, err := New(Document{Settings: Settings{Enabled: true, AnnounceWrites: true}})
	if err != nil || string(b) != Template {
		t.Fatalf("got %q, %v", b, err)
	}
	f, problems := Parse(FileName, []byte(Template))
	if f == nil || len(problems) > 0 {
		t.Fatal(problems)
	}
}
