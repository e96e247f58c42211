package pgclient

import (
	"crypto/sha256"
	"strconv"
	"strings"
	"time"

	"github.com/memctl/memctl/recall/index"
)

// rows are the chunks of a batch, column by column: the server makes rows of arrays faster than it takes single ones.
type rows struct {
	document, path, name, tier, agent, conversation, session, together, speaker, category, tags, topics, text, words []string
	first, last, lengths                                                                                             []int32
	seq                                                                                                              []int64
	written                                                                                                          []*time.Time
	weight, confidence                                                                                               []float32
	pinned                                                                                                           []bool
	hash                                                                                                             [][]byte
	length                                                                                                           int
	terms                                                                                                            map[string]int // in how many chunks more they are
}

// listMark is between the texts of a list: the server splits them there.
const listMark = "\x1f"

// insertChunks takes the arrays that arguments gives.
const insertChunks = `INSERT INTO memctl.chunks (store, document, path, first_line, last_line, name, tier, agent, conversation, session, together, speaker, category,
  tags, topics, written, seq, weight, confidence, pinned, text, hash, length, words)
SELECT $1, document, path, first_line, last_line, name, tier, agent, conversation, session, together, speaker, category,
  string_to_array(tags, E'\x1f'), string_to_array(topics, E'\x1f'), written, seq, weight, confidence, pinned, text, hash, length, array_to_tsvector(string_to_array(words, E'\x1f'))
FROM unnest($2::text[], $3::text[], $4::int[], $5::int[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[],
  $14::text[], $15::text[], $16::timestamptz[], $17::bigint[], $18::real[], $19::real[], $20::boolean[], $21::text[], $22::bytea[], $23::int[], $24::text[])
AS c(document, path, first_line, last_line, name, tier, agent, conversation, session, together, speaker, category,
  tags, topics, written, seq, weight, confidence, pinned, text, hash, length, words)`

func (r *rows) arguments(store int64) []any {
	return []any{store, r.document, r.path, r.first, r.last, r.name, r.tier, r.agent, r.conversation, r.session, r.together, r.speaker, r.category,
		r.tags, r.topics, r.written, r.seq, r.weight, r.confidence, r.pinned, r.text, r.hash, r.lengths, r.words}
}

// add takes a doc as the next row.
func (r *rows) add(cutter *index.Analyzer, d *index.Doc) {
	terms, length := cutter.TermsOf(d)
	for i, t := range terms {
		terms[i] = storable(t)
		r.count(terms[i], 1)
	}
	text := storable(d.Text)
	sum := textHash(text)
	first, last := linesOf(d.Path)
	var written *time.Time
	if !d.Time.IsZero() {
		at := d.Time.UTC()
		written = &at
	}
	for _, column := range []struct {
		to   *[]string
		text string
	}{
		{&r.document, d.Source}, {&r.path, d.Path}, {&r.name, d.ID}, {&r.tier, d.Tier.String()}, {&r.agent, ""}, {&r.conversation, d.Conversation}, {&r.session, d.Session},
		{&r.together, d.Together()}, {&r.speaker, d.Speaker}, {&r.category, d.Category}, {&r.tags, strings.Join(d.Tags, listMark)}, {&r.topics, strings.Join(d.Topics, listMark)},
		{&r.text, text}, {&r.words, strings.Join(terms, listMark)},
	} {
		*column.to = append(*column.to, storable(column.text))
	}
	r.first, r.last, r.lengths = append(r.first, first), append(r.last, last), append(r.lengths, int32(length))
	r.seq, r.written = append(r.seq, int64(d.Seq)), append(r.written, written)
	r.weight, r.confidence, r.pinned = append(r.weight, float32(d.Weight)), append(r.confidence, float32(d.Confidence)), append(r.pinned, d.Pinned)
	r.hash = append(r.hash, sum)
	r.length += length
}

func (r *rows) count(term string, n int) {
	if r.terms == nil {
		r.terms = map[string]int{}
	}
	r.terms[term] += n
}

// textHash is the hash by which a text's vector is found.
func textHash(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:16]
}

// storable is a text as PostgreSQL takes it: UTF-8 without the character zero.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// linesOf reads the lines of a chunk off its path; 0 where it is a whole file.
func linesOf(path string) (first, last int32) {
	_, lines, ok := strings.Cut(path, "#L")
	if !ok {
		return 0, 0
	}
	from, to, _ := strings.Cut(lines, "-L")
	a, _ := strconv.Atoi(from)
	b, _ := strconv.Atoi(to)
	return int32(a), int32(b)
}
