package pgclient

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/memctl/memctl/recall/index"
	"github.com/memctl/memctl/recall/postgres"
)

// rows are the chunks of a batch, column by column: the server makes rows of arrays faster than it takes single ones.
type rows struct {
	document, path, name, tier, conversation, session, together, speaker, category, tags, topics, text []string
	lengths                                                                                            []int32
	words                                                                                              []pgtype.TSVector
	seq                                                                                                []int64
	written, expires                                                                                   []*time.Time
	weight, confidence                                                                                 []float32
	pinned                                                                                             []bool
	hash                                                                                               [][]byte
	length                                                                                             int
	terms                                                                                              map[string]int // in how many chunks more they are
}

// listMark is between the texts of a list: the server splits them there.
const listMark = "\x1f"

// insertChunks takes the arrays that arguments gives.
const insertChunks = `INSERT INTO memctl.chunks (store, document, path, name, tier, conversation, session, together, speaker, category,
  tags, topics, written, expires, seq, weight, confidence, pinned, text, hash, length, words)
SELECT $1, document, path, name, tier, conversation, session, together, speaker, category,
  string_to_array(tags, E'\x1f'), string_to_array(topics, E'\x1f'), written, expires, seq, weight, confidence, pinned, text, hash, length, words
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
  $11::text[], $12::text[], $13::timestamptz[], $14::date[], $15::bigint[], $16::real[], $17::real[], $18::boolean[], $19::text[], $20::bytea[], $21::int[], $22::tsvector[])
AS c(document, path, name, tier, conversation, session, together, speaker, category,
  tags, topics, written, expires, seq, weight, confidence, pinned, text, hash, length, words)`

func (r *rows) arguments(store int64) []any {
	return []any{store, r.document, r.path, r.name, r.tier, r.conversation, r.session, r.together, r.speaker, r.category,
		r.tags, r.topics, r.written, r.expires, r.seq, r.weight, r.confidence, r.pinned, r.text, r.hash, r.lengths, r.words}
}

// readersMark begins the term that says who reads a chunk. No term of a text begins with it.
const readersMark = "@"

// add takes a doc as the next row.
func (r *rows) add(cutter *index.Analyzer, d *postgres.Doc, readers string) {
	terms, length := cutter.TermsOf(&d.Doc)
	words := make([]pgtype.TSVectorLexeme, 1, len(terms)+1)
	words[0].Word = readersMark + readers
	for _, t := range terms {
		t = storable(t)
		r.count(t, 1)
		words = append(words, pgtype.TSVectorLexeme{Word: t})
	}
	text := storable(d.Text)
	sum := textHash(text)
	var written, expires *time.Time
	if !d.Time.IsZero() {
		at := d.Time.UTC()
		written = &at
	}
	if day, err := time.Parse(time.DateOnly, d.Expires); err == nil {
		expires = &day
	}
	for _, column := range []struct {
		to   *[]string
		text string
	}{
		{&r.document, d.Source}, {&r.path, d.Path}, {&r.name, d.ID}, {&r.tier, d.Tier.String()}, {&r.conversation, d.Conversation}, {&r.session, d.Session},
		{&r.together, d.Together()}, {&r.speaker, d.Speaker}, {&r.category, d.Category}, {&r.tags, strings.Join(d.Tags, listMark)}, {&r.topics, strings.Join(d.Topics, listMark)},
		{&r.text, text},
	} {
		*column.to = append(*column.to, storable(column.text))
	}
	r.lengths, r.words = append(r.lengths, int32(length)), append(r.words, pgtype.TSVector{Lexemes: words, Valid: true})
	r.seq, r.written = append(r.seq, int64(d.Seq)), append(r.written, written)
	r.expires = append(r.expires, expires)
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

// changes are the terms that have other counts than before, in their order, so that transactions do not wait in a ring: those
// in more than one of a hundred chunks, or the other ones, which rare asks for.
func (r *rows) changes(rare bool) (names []string, counts []int32) {
	for t, n := range r.terms {
		if n != 0 && rare == (max(n, -n) <= max(len(r.path)/100, 1)) {
			names = append(names, t)
		}
	}
	slices.Sort(names)
	for _, t := range names {
		counts = append(counts, int32(r.terms[t]))
	}
	return names, counts
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
