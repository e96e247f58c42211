package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
)

// question is one question and what answers it.
type question struct {
	conv, text string
	evidence   []string // turns, as conversation and id
	sessions   []string // that they are in, as conversation and session
	topic      string
	own        []string // the evidence that the person wrote, of beam
}

// recallRows are the rows that recall is measured on.
type recallRows struct {
	convs         []string
	questions     []question
	turns         []index.Doc
	observations  []index.Doc
	covers        map[string][]string // by an observation's id: the turns it was made of
	preferences   []index.Doc         // their topic is their conversation
	topics        []string
	asked         []question  // of preferences
	chats         []string    // of beam
	said          []index.Doc // beam's turns, long ones in chunks
	chatsAsked    []question
	reworded      []index.Doc // facts of paraphrase/, and questions about them in other words
	askedReworded []question
}

// loadRecall reads locomo/ and prefeval/ of the folder; what is missing is empty.
func loadRecall(data string) (*recallRows, error) {
	rows := &recallRows{covers: map[string][]string{}}
	for _, read := range []func(string) error{rows.readTurns, rows.readObservations, rows.readQuestions, rows.readPreferences, rows.readChats, rows.readReworded} {
		if err := read(data); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// line is any row of those folders.
type line struct {
	Conv, ID, Session, Date, Speaker, Text, Question, Topic string
	Evidence                                                []string
	DiaIDs                                                  []string `json:"dia_ids"`
}

func eachLine(path string, visit func(n int, l line)) error { return eachRow(path, visit) }

func eachRow[T any](path string, visit func(n int, l T)) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		var l T
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return fmt.Errorf("%q: line %d: %w", path, n, err)
		}
		visit(n, l)
	}
	return lines.Err()
}

func doc(n int, l line, tier index.Tier) index.Doc {
	at, _ := time.Parse("3:04 pm on 2 January, 2006", l.Date)
	return index.Doc{
		ID: l.Conv + " " + l.ID, Tier: tier, Source: l.Conv + " " + l.ID, Conversation: l.Conv, Session: l.Session,
		Speaker: l.Speaker, Text: l.Text, Time: at, Seq: n,
	}
}

func (r *recallRows) readTurns(data string) error {
	return eachLine(filepath.Join(data, "locomo", "turns.jsonl"), func(n int, l line) {
		r.turns = append(r.turns, doc(n, l, index.TierTurn))
		if !slices.Contains(r.convs, l.Conv) {
			r.convs = append(r.convs, l.Conv)
		}
	})
}

func (r *recallRows) readObservations(data string) error {
	return eachLine(filepath.Join(data, "locomo", "observations.jsonl"), func(n int, l line) {
		d := doc(n, l, index.TierFact)
		r.observations = append(r.observations, d)
		for _, id := range l.DiaIDs {
			r.covers[d.ID] = append(r.covers[d.ID], l.Conv+" "+id)
		}
	})
}

// readQuestions leaves out questions whose evidence is not among the turns.
func (r *recallRows) readQuestions(data string) error {
	session := map[string]string{}
	for _, t := range r.turns {
		session[t.ID] = t.Conversation + " " + t.Session
	}
	return eachLine(filepath.Join(data, "locomo", "questions.jsonl"), func(_ int, l line) {
		q := question{conv: l.Conv, text: l.Question}
		for _, id := range l.Evidence {
			id = l.Conv + " " + id
			if s, ok := session[id]; ok && !slices.Contains(q.evidence, id) {
				q.evidence = append(q.evidence, id)
				q.sessions = append(q.sessions, s)
			}
		}
		if len(q.evidence) > 0 {
			r.questions = append(r.questions, q)
		}
	})
}

func (r *recallRows) readPreferences(data string) error {
	err := eachLine(filepath.Join(data, "prefeval", "corpus.jsonl"), func(n int, l line) {
		r.preferences = append(r.preferences, index.Doc{ID: l.ID, Tier: index.TierFact, Source: l.ID, Conversation: "user", Text: l.Text, Seq: n})
		if !slices.Contains(r.topics, l.Topic) {
			r.topics = append(r.topics, l.Topic)
		}
	})
	if err != nil {
		return err
	}
	return eachLine(filepath.Join(data, "prefeval", "queries.jsonl"), func(_ int, l line) {
		r.asked = append(r.asked, question{conv: l.Topic, text: l.Question, topic: l.Topic})
	})
}

// chatLine is a turn or a question of beam/.
type chatLine struct {
	Chat, Role, Text, Question, Category string
	Session, ID                          int
	Evidence                             []int
}

// chunkBytes is about the size of a part of an entry's text in the index.
const chunkBytes = 1000

func chatTurn(chat string, id int) string { return chat + " " + strconv.Itoa(id) }

// readChats reads beam/: conversations with an assistant. Questions without evidence
// (nothing answers them) are left out.
func (r *recallRows) readChats(data string) error {
	roles := map[string]string{}
	err := eachRow(filepath.Join(data, "beam", "turns.jsonl"), func(n int, l chatLine) {
		if !slices.Contains(r.chats, l.Chat) {
			r.chats = append(r.chats, l.Chat)
		}
		id := chatTurn(l.Chat, l.ID)
		roles[id] = l.Role
		for i, part := range passages(l.Text, chunkBytes) {
			r.said = append(r.said, index.Doc{
				ID: id + "#L" + strconv.Itoa(i), Tier: index.TierTurn, Source: id, Conversation: l.Chat, Session: strconv.Itoa(l.Session), Speaker: l.Role, Text: part, Seq: n<<8 + i,
			})
		}
	})
	if err != nil {
		return err
	}
	return eachRow(filepath.Join(data, "beam", "questions.jsonl"), func(_ int, l chatLine) {
		q := question{conv: l.Chat, text: l.Question, topic: l.Category}
		for _, e := range l.Evidence {
			id := chatTurn(l.Chat, e)
			if roles[id] == "" || slices.Contains(q.evidence, id) {
				continue
			}
			q.evidence = append(q.evidence, id)
			if roles[id] == "user" {
				q.own = append(q.own, id)
			}
		}
		if len(q.evidence) > 0 {
			r.chatsAsked = append(r.chatsAsked, q)
		}
	})
}

// rewordedLine is a fact or a question of paraphrase/.
type rewordedLine struct {
	ID             int
	Text, Question string
	Evidence       []int
}

// readReworded reads paraphrase/: facts of a project, and questions in other words.
func (r *recallRows) readReworded(data string) error {
	err := eachRow(filepath.Join(data, "paraphrase", "facts.jsonl"), func(n int, l rewordedLine) {
		id := strconv.Itoa(l.ID)
		r.reworded = append(r.reworded, index.Doc{ID: id, Tier: index.TierFact, Scope: "project", Source: id, Conversation: "project", Text: l.Text, Seq: n})
	})
	if err != nil {
		return err
	}
	return eachRow(filepath.Join(data, "paraphrase", "questions.jsonl"), func(n int, l rewordedLine) {
		q := question{conv: rewordedUnit(n % folds), text: l.Question}
		for _, e := range l.Evidence {
			q.evidence = append(q.evidence, strconv.Itoa(e))
		}
		r.askedReworded = append(r.askedReworded, q)
	})
}

// rewordedUnit names a part of the questions in other words that may be held out.
func rewordedUnit(n int) string { return "reworded " + strconv.Itoa(n) }

// topicOf is the topic of a preference, which its id begins with.
func topicOf(id string) string { return id[:max(0, strings.LastIndexByte(id, '-'))] }

// open builds and opens an index over the docs that keep lets through.
func open(docs []index.Doc, keep func(*index.Doc) bool) (*index.Index, error) {
	var some []index.Doc
	for i := range docs {
		if keep(&docs[i]) {
			some = append(some, docs[i])
		}
	}
	data, err := index.Build(some, nil)
	if err != nil {
		return nil, err
	}
	return index.Open(data)
}
