package transcript

import (
	"bytes"
	"strings"
)

// layout is what the records of a format look like: rows that one engine reads.
type layout struct {
	needs            string // a condition that each sound record fulfils
	only             string // a condition of the records that are read
	body             string // what a record is if it has no such member
	time, id, prompt string // paths, in each record
	shapes           []shape
	put              func(r *Reader, s *shape, t Turn) // nil emits the turn
}

// shape is a row: a kind of record or of a part of one, and the paths of what it says. A path is names of members with dots
// between; of several with "|" between the first one counts that has a value. A condition is a path that must have a value, or
// with "=" one of several values with "|" between; several conditions have a space between.
type shape struct {
	when    string
	session *facts // of the session
	by      Speaker
	text    string
	id      string // instead of the layout's
	prompt  string // instead of the layout's
	shown   bool   // an event for the person's eyes, and no item of the model's

	// Of a tool call.
	call, tool, input string
	command, changes  string // where the input does not have them
	exit              string
	passed, stopped   string // conditions

	list  string  // its elements are the next rows' parts
	parts []shape // of the list

	// more finishes the turn, and reports whether it counts.
	more func(r *Reader, n *node, t *Turn) bool
}

// facts are the paths of what a record says about the session.
type facts struct {
	id, folder, start string
	subagent          string // a condition
	entry             string // the path of the way in which the client was started
}

// decode reads a record by its layout.
func (l *layout) decode(r *Reader, data []byte) bool {
	root := node{raw: data, kids: r.room[:0]}
	if !root.parseMembers() || !root.fits(l.needs) {
		return false
	}
	if l.body != "" && root.get(l.body) == nil {
		root.kids = append(root.kids, member{[]byte(l.body), node{raw: data}})
	}
	r.room, r.top = root.kids, &root
	if root.fits(l.only) {
		r.readAs(l.shapes, &root, l.turn(&root))
	}
	return true
}

// turn is what all turns of a record have.
func (l *layout) turn(n *node) Turn {
	return Turn{Time: stamp(n.get(l.time)), ID: text(n.get(l.id)), Prompt: text(n.get(l.prompt))}
}

// readAs reads a record, or a part of one, as the first shape that it has.
func (r *Reader) readAs(shapes []shape, n *node, t Turn) {
	for i := range shapes {
		if s := &shapes[i]; n.fits(s.when) {
			r.readShape(s, n, t)
			return
		}
	}
}

func (r *Reader) readShape(s *shape, n *node, t Turn) {
	if s.session != nil {
		r.describe(s.session, n)
	}
	parts := t
	t.By, t.Text = s.by, texts(n.get(s.text))
	if s.id != "" {
		t.ID = text(n.get(s.id))
	}
	if s.prompt != "" {
		t.Prompt = text(n.get(s.prompt))
	}
	switch s.by {
	case Tool:
		t.Call = s.readCall(n)
	case Person:
		if t.Text = cutHookContext(t.Text); r.session.Subagent || harnessTag(t.Text) {
			t.By = Harness
		}
	}
	counts := s.more == nil || s.more(r, n, &t)
	if counts && (t.Call != nil || strings.TrimSpace(t.Text) != "") {
		if r.layout.put != nil {
			r.layout.put(r, s, t)
		} else {
			r.emit(t)
		}
	}
	if s.list != "" {
		elements(n.get(s.list), func(part []byte) { r.readAs(s.parts, &node{raw: part}, parts) })
	}
}

func (r *Reader) describe(f *facts, n *node) {
	s := &r.session
	if id := text(n.get(f.id)); id != "" {
		s.ID = id
	}
	if folder := text(n.get(f.folder)); folder != "" {
		s.Folder = folder
	}
	if s.Start.IsZero() {
		s.Start = stamp(n.get(f.start))
	}
	if f.subagent != "" {
		s.Subagent = n.fits(f.subagent)
	}
	switch entry := text(n.get(f.entry)); entry {
	case "":
	case "cli":
		s.Mode = Interactive
	case "sdk-cli":
		s.Mode = Headless
	default:
		s.Mode = ModeUnknown // a program, which may have a person at its window
	}
}

func (s *shape) readCall(n *node) *Call {
	call := newCall(text(n.get(s.call)), text(n.get(s.tool)), n.get(s.input))
	if s.command != "" {
		call.Command = commandLine(n.get(s.command))
	}
	call.Files = append(call.Files, changed(n.get(s.changes))...)
	if s.passed != "" {
		call.end(n.get(s.exit), n.fits(s.passed))
	}
	if s.stopped != "" && n.fits(s.stopped) {
		call.Status = Stopped
	}
	return call
}

// node is a value of JSON whose members are found when the first one is asked for.
type node struct {
	raw  []byte
	kids []member
	read bool
}

type member struct {
	name []byte
	node
}

// parseMembers finds the members. It reports whether the value is a whole object.
func (n *node) parseMembers() bool {
	n.read = true
	return members(n.raw, func(name, value []byte) { n.kids = append(n.kids, member{name, node{raw: value}}) })
}

// get is the raw value at a path, nil where there is none.
func (n *node) get(paths string) (value []byte) {
	for path := ""; paths != "" && value == nil; {
		path, paths, _ = strings.Cut(paths, "|")
		value = n.rawAt(path)
	}
	return value
}

func (n *node) rawAt(path string) []byte {
	if !n.read {
		n.parseMembers()
	}
	name, rest, deeper := strings.Cut(path, ".")
	for i := len(n.kids) - 1; i >= 0; i-- { // the last one of a name counts
		if kid := &n.kids[i]; string(kid.name) == name {
			if deeper {
				return kid.rawAt(rest)
			}
			return kid.raw
		}
	}
	return nil
}

// fits reports whether the value fulfils all conditions.
func (n *node) fits(conditions string) bool {
	for condition := range strings.FieldsSeq(conditions) {
		path, wanted, compare := strings.Cut(condition, "=")
		value := n.get(path)
		fits := !compare && value != nil
		for compare && !fits && wanted != "" {
			var one string
			one, wanted, _ = strings.Cut(wanted, "|")
			fits = string(bytes.Trim(value, `"`)) == one
		}
		if !fits {
			return false
		}
	}
	return true
}
