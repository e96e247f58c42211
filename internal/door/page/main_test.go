package page

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/loopback"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/tests/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.RunTests(m)) }

// site is a page in a repository, and a browser's requests to it.
type site struct {
	t    *testing.T
	box  *storetest.Box
	page *Page
	host string
	at   string // the address of the page
}

func today() time.Time { return time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC) }

// newSite serves a page on a real listener, in a repository with this memory file.
func newSite(t *testing.T, file string, change func(*door.PageEnv)) *site {
	t.Helper()
	t.Setenv("XDG_DATA_HOME", filepath.Join(t.TempDir(), "data"))
	s := &site{t: t, box: storetest.Git(t, file)}
	env := door.PageEnv{
		Open: func(ctx context.Context) (*store.Stores, error) {
			return store.Open(ctx, store.Env{Dir: s.box.Root, Getenv: os.Getenv, Now: today})
		},
		Explain: func(err error) *fault.Error {
			if known := fault.FindAnswer(err); known != nil {
				return known
			}
			return &fault.Error{Code: "bug", Status: 2, Cause: err.Error()}
		},
		Agents: func(*store.Stores) []door.Agent {
			return []door.Agent{{Name: "claude", Title: "Claude Code", Connected: true}, {Name: "gemini", Title: "Gemini CLI"}}
		},
		Checks: func(context.Context) []fault.Finding {
			return []fault.Finding{{Rule: "git", Severity: "ok", Message: "2.39"}, {Rule: "merging", Severity: "warning", Message: "no merge driver", Hint: "memctl init"}}
		},
	}
	if change != nil {
		change(&env)
	}
	s.page = New(env)
	l, err := loopback.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.host, s.at = l.Addr().String(), s.page.URL(l)
	ctx, end := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { _, err := s.page.Serve(ctx, l); served <- err }()
	t.Cleanup(func() {
		end()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return s
}

// answer is what the page answered.
type answer struct {
	*http.Response
	text string
}

// do sends a request; redirects are followed as a browser does.
func (s *site) do(method, path string, form url.Values, head map[string]string) answer {
	s.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	to := path
	if !strings.HasPrefix(path, "http") {
		to = s.at + path
	}
	r, err := http.NewRequest(method, to, body)
	if err != nil {
		s.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Origin", "http://"+s.host)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range head {
		switch {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Set(name, value)
		}
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{res, string(text)}
}

func (s *site) get(path string) answer {
	s.t.Helper()
	a := s.do(http.MethodGet, path, nil, nil)
	if a.StatusCode != http.StatusOK {
		s.t.Fatalf("GET %s: %s\n%s", path, a.Status, a.text)
	}
	return a
}

func (s *site) post(path string, form url.Values) answer {
	s.t.Helper()
	return s.do(http.MethodPost, path, form, nil)
}

// row is the HTML of the row whose text or name contains the word; "" where there is none.
func (a answer) row(word string) string {
	for _, part := range strings.Split(a.text, `<li class="row`)[1:] {
		part, _, _ = strings.Cut(part, "</li>\n")
		if strings.Contains(strings.ReplaceAll(part, "<wbr>", ""), word) {
			return part
		}
	}
	return ""
}

var hidden = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)

// form are the hidden fields of the row.
func (a answer) form(t *testing.T, word string, more ...string) url.Values {
	t.Helper()
	row := a.row(word)
	if row == "" {
		t.Fatalf("no row has %q:\n%s", word, a.text)
	}
	form := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(row, -1) {
		form.Set(m[1], html.UnescapeString(m[2]))
	}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return form
}

var undoButton = regexp.MustCompile(`name="notice" value="(\d+)"`)

// undo presses the Undo button of the answer.
func (s *site) undo(a answer) answer {
	s.t.Helper()
	m := undoButton.FindStringSubmatch(a.text)
	if m == nil {
		s.t.Fatalf("there is no Undo button:\n%s", a.text)
	}
	return s.post("memory/undo", url.Values{"notice": {m[1]}})
}

// follow opens the link whose HTML contains the words.
func (s *site) follow(a answer, words string) answer {
	s.t.Helper()
	for _, part := range strings.Split(a.text, "<a ")[1:] {
		part, _, _ = strings.Cut(part, "</a>")
		if _, at, ok := strings.Cut(part, `href="`); ok && strings.Contains(part, words) {
			at, _, _ = strings.Cut(at, `"`)
			return s.get("http://" + s.host + html.UnescapeString(at))
		}
	}
	s.t.Fatalf("no link has %q:\n%s", words, a.text)
	return answer{}
}

func (s *site) has(what, text string, words ...string) {
	s.t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			s.t.Errorf("%s: %q is not in\n%s", what, w, text)
		}
	}
}

func (s *site) lacks(what, text string, words ...string) {
	s.t.Helper()
	for _, w := range words {
		if strings.Contains(text, w) {
			s.t.Errorf("%s: %q is in\n%s", what, w, text)
		}
	}
}

// items is a memory file with these items, each a key, a value and a confidence.
func items(list ...[3]string) string {
	var b strings.Builder
	for _, it := range list {
		b.WriteString("    - key: " + it[0] + "\n      value: " + it[1] + "\n      added: 2026-01-01\n      source: explicit user preference\n      confidence: " + it[2] + "\n      tags: []\n")
	}
	return strings.Replace(memfile.Template, "  items: []\n", "  items:\n"+b.String(), 1)
}
