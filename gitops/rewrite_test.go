package gitops

import (
	"bytes"
	"testing"
)

func TestRewrittenIdents(t *testing.T) {
	const gone = "(purged)"
	for _, c := range []struct{ text, before, after string }{
		{"zanzibar", "zanzibar <a@b> 1 +0000", gone + " <a@b> 1 +0000"},
		{"zanzibar", "Ada <ada@zanzibar> 1 +0000", "Ada <ada@" + gone + "> 1 +0000"},
		{"Ada <ada@zanzibar>", "Ada <ada@zanzibar> 1 +0000", gone + " <> 1 +0000"},
		{"Ada", "Bob <b@c> 1 +0000", "Bob <b@c> 1 +0000"},
		{"0000", "Bob <b@c> 1 +0000", "Bob <b@c> 1 +0000"},
		{"UTF", "UTF-8", "UTF-8"},
	} {
		w := &rewriter{RewriteRequest: RewriteRequest{
			People: true,
			Found:  func(src []byte) bool { return bytes.Contains(src, []byte(c.text)) },
			Cut:    func(src []byte) []byte { return bytes.ReplaceAll(src, []byte(c.text), []byte(gone)) },
		}}
		if got := w.ident("id", c.before); got != c.after {
			t.Errorf("%q without %q: got %q, want %q", c.before, c.text, got, c.after)
		}
	}
}
