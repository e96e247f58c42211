package page

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// Fetch returns the text of a view.
func Fetch(t *testing.T, p *Page, path string) string {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:1/"+p.secret+"/"+path, nil)
	p.Handler("127.0.0.1:1").ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d\n%s", path, w.Code, w.Body)
	}
	return w.Body.String()
}
