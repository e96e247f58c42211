package cache

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/recall/index"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/memfile"
)

const (
	maxMarkdownBytes = 1 << 20
	// fileWeight makes a section of a Markdown file count half (see recall's exponent of weights): it has many words, and most
	// agents have their instruction file already.
	fileWeight = 0.25
)

// readDocs reads the files and makes docs of what agents may be given of them.
func (k *updater) readDocs(ctx context.Context, root *os.Root, paths []string) ([]index.Doc, error) {
	docs := make([]index.Doc, 0, len(paths))
	var entries []string
	for _, p := range paths {
		switch _, isEntry := entry.ParsePath(p); {
		case isEntry:
			entries = append(entries, p)
		case p == memfile.FileName:
			items, err := k.itemDocs(ctx)
			if err != nil {
				return nil, err
			}
			docs = append(docs, items...)
		default:
			docs = append(docs, k.markdownDocs(root, p)...)
		}
	}
	list, err := contents.ReadEntries(ctx, k.st, entries, nil)
	for i := range list {
		docs = append(docs, k.entryDocs(&list[i])...)
	}
	return docs, err
}

// itemDocs are the docs of the memory file's items.
func (k *updater) itemDocs(ctx context.Context) ([]index.Doc, error) {
	m, err := contents.Read(ctx, k.st)
	if err != nil || !m.Exists {
		return nil, err
	}
	var docs []index.Doc
	for i := range m.Items {
		it := &m.Items[i]
		if it.Hidden() {
			continue
		}
		day, _ := time.Parse(time.DateOnly, it.Day())
		docs = append(docs, index.Doc{
			ID: it.Key, Tier: index.TierItem, Scope: k.st.Scope, Source: memfile.FileName, Path: memfile.FileName,
			Text: it.Value.Plain(), Tags: it.Tags, When: it.When, Time: day, Confidence: confidenceNumber(it.Confidence), Pinned: it.Pinned,
		})
	}
	return docs, nil
}

// newItemDocs returns the docs of items whose texts the segments do not have. They get a source of their own, so that those that the
// segments have still count.
func (k *updater) newItemDocs(ctx context.Context, segments [][]byte) ([]index.Doc, error) {
	items, err := k.itemDocs(ctx)
	if len(items) == 0 || err != nil {
		return nil, err
	}
	x, err := index.Open(segments...)
	if err != nil {
		return nil, err
	}
	known := map[uint32]bool{}
	source := index.Source{Scope: k.st.Scope, Path: memfile.FileName}
	var failed error
	err = x.VisitSource(source, func(n int) {
		rec, err := x.Record(n)
		known[rec.TextHash], failed = true, cmp.Or(failed, err)
	})
	items = slices.DeleteFunc(items, func(d index.Doc) bool { return known[index.TextHash(d.Text)] })
	for i := range items {
		items[i].Source += "#new"
	}
	return items, cmp.Or(err, failed)
}

// confidenceNumber is a confidence as a number from 0 to 1, as ranking counts it.
func confidenceNumber(confidence string) float64 {
	switch confidence {
	case memfile.High:
		return 1
	case memfile.Medium:
		return 0.8
	case memfile.Low:
		return 0.6
	}
	return 1
}

// indexTier is recall's tier for an entry's.
func indexTier(tier string) index.Tier {
	switch tier {
	case entry.Note:
		return index.TierNote
	case entry.Summary:
		return index.TierSummary
	case entry.Turn:
		return index.TierTurn
	}
	return index.TierFact
}

// entryDocs makes the docs of an entry: one, or one for each chunk of a long one.
func (k *updater) entryDocs(e *contents.Entry) []index.Doc {
	if e.Deleted || e.Hidden() || e.Text == "" {
		return nil
	}
	owner, _ := memfile.OwnAgent(e.Source, e.By)
	settled := e.Confidence != memfile.Low && !slices.Contains(e.Tags, memfile.TagNeedsConfirmation) && e.Tier() != entry.Turn
	d := index.Doc{
		// What will expire is not counted, because a count has no day, nor what is for one agent alone.
		Marked: settled && (e.Pinned || slices.Contains(e.Tags, entry.TagBootstrap)), Counted: settled && e.Expires == "" && owner == "",
		Unconfirmed: !settled && e.Tier() == entry.Fact && e.Expires == "" && owner == "",
		ID:          e.ID, Tier: indexTier(e.Tier()), Scope: k.st.Scope, Source: e.Path, Digest: e.Digest, Path: e.Path, Conversation: e.Conversation, Session: e.Session,
		Speaker: speakerOf(e.Role, e.Text), Category: e.Category, Tags: e.Tags, Topics: e.Topics, When: e.When, Text: e.Text, Time: e.Time(), Seq: index.EntrySeq(e.Time(), 0), Weight: e.Weight,
		Confidence: confidenceNumber(e.Confidence), Pinned: e.Pinned,
		AtCommand: settled && len(e.Commands) > 0,
	}
	for _, a := range e.Anchors {
		file, _, _ := strings.Cut(a.Path, "#")
		d.Anchors = append(d.Anchors, file)
	}
	if len(e.Text) <= chunkBytes {
		return []index.Doc{d}
	}
	src, err := contents.EntryBytes(k.st, e.Path)
	if err != nil {
		return []index.Doc{d}
	}
	var docs []index.Doc
	for _, c := range chunksBySize(e.Text, bodyLineNumber(src), chunkBytes) {
		part := d
		first := len(docs) == 0
		part.Marked, part.AtCommand, part.Counted, part.Unconfirmed = d.Marked && first, d.AtCommand && first, d.Counted && first, d.Unconfirmed && first
		part.ID, part.Text, part.Path, part.Seq = e.ID+c.lineAnchor(), c.text, e.Path+c.lineAnchor(), index.EntrySeq(e.Time(), len(docs))
		docs = append(docs, part)
	}
	return docs
}

// speakerOf is who said a text: the name before it, as in "Ann: let us use Redis",
// else the entry's role.
func speakerOf(role, text string) string {
	const most = 40
	name, rest, ok := strings.Cut(text[:min(len(text), most)], ": ")
	if !ok || rest == "" || strings.ContainsAny(name, "\n.,;!?`/\"") {
		return role
	}
	words := strings.Fields(name)
	for _, w := range words {
		if r, _ := utf8.DecodeRuneInString(w); !unicode.IsUpper(r) {
			return role
		}
	}
	if len(words) == 0 || len(words) > 3 {
		return role
	}
	return name
}

// bodyLineNumber is the number of the line on which an entry's body begins.
func bodyLineNumber(src []byte) int {
	line, fences := 0, 0
	for text := range bytes.Lines(src) {
		line++
		switch text = bytes.TrimSpace(text); {
		case fences < 2 && string(text) == "---":
			fences++
		case fences == 2 && len(text) > 0:
			return line
		}
	}
	return 1
}

// markdownDocs makes the docs of a file that memctl reads and never writes: its chunks, each under
// its headings; what the policy objects to is left out.
func (k *updater) markdownDocs(root *os.Root, name string) []index.Doc {
	file, own := strings.CutPrefix(name, homePrefix)
	if own {
		var err error
		if root, err = os.OpenRoot(k.req.Home); err != nil {
			return nil
		}
		defer root.Close()
	}
	if k.req.IsInstructionFile != nil && k.req.IsInstructionFile(name) {
		file = safefile.Behind(root, file)
	}
	src, info, err := safefile.Read(root, file, maxMarkdownBytes)
	if err != nil {
		return nil
	}
	var docs []index.Doc
	for _, c := range k.markdownChunks(name, MarkdownText(src)) {
		if !contents.AgentsMayRead(k.st, name, c.text, c.headings) {
			continue
		}
		at := name + c.lineAnchor()
		docs = append(docs, index.Doc{
			ID: at, Tier: index.TierFile, Scope: k.st.Scope, Source: name, Path: at, Text: c.text, Topics: c.headings, Weight: fileWeight, Time: info.ModTime().UTC().Truncate(24 * time.Hour), Seq: len(docs),
		})
	}
	return docs
}

// markdownChunks are the chunks of a Markdown file.
func (k *updater) markdownChunks(name, text string) []chunk {
	if k.req.IsInstructionFile != nil && k.req.IsInstructionFile(name) {
		return chunksBySection(text)
	}
	return chunksBySize(text, 1, chunkBytes)
}

// MarkdownText is the text of a Markdown file as the index has it.
func MarkdownText(src []byte) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(src), "\uFFFD"), "\r\n", "\n")
}

// indexHomeFiles indexes a person's instruction files in memory if the person has no store. In a hook it does nothing.
func (k *updater) indexHomeFiles() ([][]byte, error) {
	var docs []index.Doc
	if k.st.Scope == store.User && k.req.Home != "" && k.req.MaxChangedFiles == 0 {
		for _, name := range k.req.HomeFiles {
			docs = append(docs, k.markdownDocs(nil, name)...)
		}
	}
	if len(docs) == 0 {
		return nil, nil
	}
	data, err := index.Build(docs, nil)
	return [][]byte{data}, err
}
