package pgclient

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/recall/postgres"
)

// row is a chunk as memctl.replace_chunks reads it, by the columns of memctl.chunks.
type row struct {
	Document     string     `json:"document"`
	Path         string     `json:"path"`
	Name         string     `json:"name"`
	Tier         string     `json:"tier"`
	Conversation string     `json:"conversation"`
	Session      string     `json:"session"`
	Speaker      string     `json:"speaker"`
	Category     string     `json:"category"`
	Tags         []string   `json:"tags"`
	Topics       []string   `json:"topics"`
	Written      *time.Time `json:"written"`
	Seq          int        `json:"seq"`
	Together     string     `json:"together"`
	Weight       float64    `json:"weight"`
	Confidence   float64    `json:"confidence"`
	Pinned       bool       `json:"pinned"`
	Expires      *string    `json:"expires"`
	Text         string     `json:"text"`
	Hash         string     `json:"hash"`
	Length       int        `json:"length"`
	Words        string     `json:"words"`
}

func makeRow(cutter *index.Analyzer, d *postgres.Doc) row {
	terms, length := cutter.TermsOf(&d.Doc)
	words := make([]string, len(terms))
	for i, t := range terms {
		words[i] = quoteTerm(t)
	}
	text := storable(d.Text)
	sum := sha256.Sum256([]byte(text)) // a text's vector is found by it
	r := row{
		Document: d.Source, Path: storable(d.Path), Name: storable(d.ID), Tier: d.Tier.String(), Conversation: storable(d.Conversation),
		Session: storable(d.Session), Speaker: storable(d.Speaker), Category: storable(d.Category), Tags: storableList(d.Tags), Topics: storableList(d.Topics),
		Seq: d.Seq, Together: storable(d.Together()), Weight: d.Weight, Confidence: d.Confidence, Pinned: d.Pinned,
		Text: text, Hash: `\x` + hex.EncodeToString(sum[:16]), Length: length, Words: strings.Join(words, " "),
	}
	if !d.Time.IsZero() {
		at := d.Time.UTC()
		r.Written = &at
	}
	if _, err := time.Parse(time.DateOnly, d.Expires); err == nil {
		r.Expires = &d.Expires
	}
	return r
}

// storable is a text as PostgreSQL takes it: UTF-8 without the character zero.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

func storableList(texts []string) []string {
	list := make([]string, len(texts))
	for i, t := range texts {
		list[i] = storable(t)
	}
	return list
}
