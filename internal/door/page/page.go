// Package page is the door for a person's browser: a page on this machine that shows memory and
// changes it through the acts of package memory. It has no rules of its own about what may be
// remembered.
//
// Words. A view is one tab of the page: a Go file, a template of the same name in web, and the
// acts that its forms call. A notice is the line that says what an act did. The page reads the
// stores anew for each request, so that it shows what other processes wrote.
package page

import (
	"bytes"
	"crypto/rand"
	"embed"
	"html/template"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/memctl/memctl/internal/door"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/httpserver"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/acts/edit"
	"github.com/memctl/memctl/memory/reading/view"
)

//go:embed web
var files embed.FS

// Page is one run of the page, with an address that nobody can guess.
type Page struct {
	env       door.PageEnv
	secret    string // the first part of every path
	templates *template.Template
	views     []tabView
	notices   notices
	limits    httpserver.Timeouts

	mu   sync.Mutex
	used time.Time // when somebody last asked for something
	once string    // the secret of OnceURL until it is spent
	// waiting is the last count of countWaiting, and waitingStamp the state of memory and the day that it is of.
	waiting      int
	waitingStamp string
}

// tabView is one tab of the page.
type tabView struct {
	name, title string
	show        func(r *request) (any, error) // the data of the template name.html
	acts        map[string]act                // by name, as in the paths of forms
}

// act carries out what a form asks for.
type act func(r *request) (outcome, error)

// New prepares a page. It listens nowhere yet.
func New(env door.PageEnv) *Page {
	if env.Now == nil {
		env.Now = time.Now
	}
	limits := httpserver.Timeouts{Header: 10 * time.Second, Body: 20 * time.Second, Idle: 2 * time.Minute}
	p := &Page{env: env, secret: newSecret(), limits: limits, views: []tabView{
		{"memory", "Memory", showMemory, map[string]act{
			"confirm": onRows(doConfirm), "lock": onRows(onKeys(edit.Lock)), "unlock": onRows(onKeys(edit.Unlock)),
			"move": onRows(doMove), "forget": onRows(doForget), "edit": editRow, "add": addMemory, "restore": restoreChange,
		}},
		{"sessions", "Sessions", showSessions, nil},
		{"review", "Review", showReview, map[string]act{"decide": decide, "several": decideSeveral}},
		{"history", "History", showHistory, map[string]act{"restore": restoreChange, "revert": revertAct}},
		{"health", "Health", showHealth, map[string]act{"fix": fixProblems}},
	}}
	p.templates = template.Must(template.New("").Funcs(functions()).ParseFS(files, "web/*.html"))
	p.touch()
	return p
}

// URL is the address of the page at a listener. Whoever knows it can read and change memory.
func (p *Page) URL(l net.Listener) string {
	return "http://" + l.Addr().String() + "/" + p.secret + "/"
}

// OnceURL is an address that leads to URL once. Every user of the machine can read the arguments
// of a process, so a browser is started with this one.
func (p *Page) OnceURL(l net.Listener) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.once = newSecret()
	return "http://" + l.Addr().String() + "/" + p.once + "/"
}

// useOnceSecret reports whether the secret is that of OnceURL, which then leads nowhere any more.
func (p *Page) useOnceSecret(secret string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.once == "" || !httpserver.EqualSecrets(secret, p.once) {
		return false
	}
	p.once = ""
	return true
}

// request is one request for a view, or for an act of it.
type request struct {
	*http.Request
	page  *Page
	view  tabView
	ss    *store.Stores
	state any // what an act that was refused leaves for the view to show
}

// reader is who sees the page.
func (r *request) reader() contents.Reader {
	if r.page.env.ReadOnly {
		return contents.Agent
	}
	return contents.Person
}

// options are those of an act in a scope. Acts count as the person's own: guard refuses them if an
// agent started the page.
func (r *request) options(scope string) memory.Options {
	return memory.Options{Scope: scope, Origin: memory.Origin{Kind: memory.Explicit}, Command: rand.Text()}
}

// outcome is what an act tells the person.
type outcome struct {
	notice notice
	// status is not 0 where the view is shown again at once, with state beside the form.
	status int
	state  any
}

// frame is what every view is shown in.
type frame struct {
	Title    string
	Root     string // the path below which everything is
	Tabs     []tab
	Place    string // the project's name
	Folder   string
	ReadOnly bool
	Notice   *notice
	Error    *fault.Error
	Body     template.HTML
	View     string
	Query    template.URL // of the view, without the notice
	link     func(pairs ...string) template.URL
	Warnings []string
	Waiting  int // pending decisions and new memories that the person has not seen
}

// Link is the address of the view with its query, in which the pairs of a name and a value are set; "" removes one.
func (f frame) Link(pairs ...string) template.URL { return f.link(pairs...) }

type tab struct {
	Name, Title string
	Current     bool
}

// serve answers what lies below the secret path.
func (p *Page) serve(w http.ResponseWriter, req *http.Request, path string) {
	switch path {
	case "":
		http.Redirect(w, req, p.views[0].name, http.StatusSeeOther)
		return
	case "page.css", "page.js", "icon.svg":
		http.ServeFileFS(w, req, files, "web/"+path)
		return
	case "stamp": // the page's script asks whether memory changed on disk
		if ss, err := p.env.Open(req.Context()); err == nil {
			_, _ = io.WriteString(w, domOf(view.Stamp(req.Context(), ss)))
		}
		return
	}
	name, act, isAct := strings.Cut(path, "/")
	for _, v := range p.views {
		switch {
		case v.name != name:
			continue
		case isAct && req.Method == http.MethodPost:
			p.act(w, req, v, act)
			return
		case !isAct && req.Method != http.MethodPost:
			p.show(w, req, v, outcome{})
			return
		}
	}
	http.NotFound(w, req)
}

// act carries out an act, and shows the view again.
func (p *Page) act(w http.ResponseWriter, req *http.Request, v tabView, name string) {
	do := v.acts[name]
	if name == "undo" {
		do = undoNotice
	}
	if do == nil {
		http.NotFound(w, req)
		return
	}
	r := &request{Request: req, page: p, view: v}
	var out outcome
	var err error
	if r.ss, err = p.env.Open(req.Context()); err == nil {
		out, err = do(r)
	}
	if err != nil {
		out = outcome{notice: p.failed(err)}
	}
	if out.status != 0 {
		p.show(w, req, v, out)
		return
	}
	http.Redirect(w, req, string(r.link("edit", "", "with", "", "done", p.notices.add(out.notice))), http.StatusSeeOther)
}

// link is the address of the view with its query, without what names a notice. The pairs of a name and a value are set in it;
// "" removes one.
func (r *request) link(pairs ...string) template.URL {
	q := maps.Clone(r.URL.Query())
	q.Del("done")
	for i := 0; i < len(pairs); i += 2 {
		if q.Set(pairs[i], pairs[i+1]); pairs[i+1] == "" {
			q.Del(pairs[i])
		}
	}
	return template.URL("/" + r.page.secret + "/" + r.view.name + "?" + q.Encode())
}

// selection is a choice among values of the query.
type selection struct {
	Name, Label string
	Options     []option
}

type option struct {
	Value, Title string
	Chosen       bool
}

// choose offers pairs of a value and its title; the query names the one that is chosen.
func (r *request) choose(name, label string, pairs ...string) selection {
	s, now := selection{Name: name, Label: label}, r.URL.Query().Get(name)
	for i := 0; i < len(pairs); i += 2 {
		s.Options = append(s.Options, option{pairs[i], pairs[i+1], pairs[i] == now})
	}
	return s
}

// scopes offers the scopes of the session.
func (r *request) scopes() selection {
	return r.choose("scope", "Scope", append([]string{"", "All scopes"}, titled(r.ss.Scopes())...)...)
}

// show answers with a view: as a whole page, or without its frame where the page's script asks.
func (p *Page) show(w http.ResponseWriter, req *http.Request, v tabView, out outcome) {
	r := &request{Request: req, page: p, view: v, state: out.state}
	f := frame{Title: v.title, Root: "/" + p.secret + "/", View: v.name, ReadOnly: p.env.ReadOnly, link: r.link}
	if _, query, ok := strings.Cut(string(r.link()), "?"); ok {
		f.Query = template.URL(query)
	}
	for _, one := range p.views {
		f.Tabs = append(f.Tabs, tab{one.name, one.title, one.name == v.name})
	}
	if f.Notice = p.notices.get(req.URL.Query().Get("done")); out.status != 0 && out.notice.Text != "" {
		f.Notice = &out.notice
	}
	var data any
	var err error
	if r.ss, err = p.env.Open(req.Context()); err == nil {
		f.Place, _ = r.ss.ProjectName(req.Context(), "", nil)
		f.Folder = r.ss.Root()
		f.Waiting, f.Warnings = r.countWaiting(), r.damage()
		data, err = v.show(r)
	}
	var body bytes.Buffer
	if err == nil {
		err = p.templates.ExecuteTemplate(&body, v.name+".html", struct {
			frame
			Data any
		}{f, data})
	}
	status := out.status
	if err != nil {
		f.Error, body, status = p.env.Explain(err), bytes.Buffer{}, http.StatusInternalServerError
	}
	f.Body = template.HTML(body.String())
	name := "frame.html"
	if req.Header.Get("X-Fragment") != "" {
		name = "main"
	}
	var whole bytes.Buffer
	if err := p.templates.ExecuteTemplate(&whole, name, f); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if status != 0 {
		w.WriteHeader(status)
	}
	_, _ = w.Write(whole.Bytes())
}
