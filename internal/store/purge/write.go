package purge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/internal/entry"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/ledger"
	"github.com/memctl/memctl/internal/store/pulled"
	"github.com/memctl/memctl/internal/store/statedir"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/memfile/patch"
	"github.com/memctl/memctl/policy"
)

// PurgeFiles removes the text from memory's files, in one commit: what is remembered
// leaves with a tombstone, and any other place of it becomes policy.PurgedMark. The history
// is left alone. uncommitted says why the files are not committed, where settings say
// so. Errors: fault.LockHeld; fault.Deferred (the files are as they were then); a
// commit that failed (the next act makes it).
func (p *Search) PurgeFiles(ctx context.Context, wait time.Duration, today string) (uncommitted string, err error) {
	st := p.st
	unlock, err := st.Lock(ctx, wait, "purge")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	cut, err := txn.BeginCut(ctx, st, txn.Write{Act: "purge", Wait: wait})
	if err != nil {
		return "", err
	}
	names, err := filesWith(st, p.trace)
	if names = slices.DeleteFunc(names, isCopy); err != nil || len(names) == 0 {
		return "", err
	}
	switch why := cut.Blocked(); why {
	case "", txn.WhyNoRepository:
	case txn.WhyCommitOff, txn.WhyStageOnly, txn.WhyProtected:
		uncommitted = why
	default:
		return "", store.Deferred(why, "")
	}
	changes, err := p.cutFiles(ctx, names, today)
	if err != nil {
		return "", err
	}
	st.DropCache()
	recorded := slices.DeleteFunc(slices.Clone(changes), func(c store.FileChange) bool {
		return !p.memoryPath(st.GitPathOf(c.Path))
	})
	// After an error another purge goes on from where the next act has ended this one.
	return uncommitted, cut.Put(ctx, changes, recorded)
}

// cutFiles are the changes that remove the text from the files. Error: fault.Secret
// where a file holds another secret.
func (p *Search) cutFiles(ctx context.Context, names []string, today string) (changes []store.FileChange, err error) {
	var texts []string // of entries that go
	// The memory file comes last: it gets the entries' tombstones.
	names = append(slices.DeleteFunc(names, func(name string) bool { return name == memfile.FileName }), memfile.FileName)
	for _, name := range names {
		before, err := contents.FileBytes(p.st, name)
		if err != nil {
			return nil, err
		}
		after := p.trace.Replace(before)
		if name == memfile.FileName {
			if after, err = p.memoryFile(ctx, before, today, texts); err != nil {
				return nil, err
			}
			if bytes.Equal(before, after) {
				continue
			}
		} else if text, is := p.goes(name, before); is {
			after = nil // its name is a hash of the text
			if text != "" {
				texts = append(texts, text)
			}
		}
		if found := policy.ScanFile(name, after); len(found) > 0 {
			return nil, txn.Secret(p.st.Scope, name, found[0])
		}
		changes = append(changes, store.FileChange{Path: name, Before: before, After: after})
	}
	return changes, nil
}

// memoryFile is the memory file without the text, and with tombstones of the texts of
// entries, which bind on this machine alone.
func (p *Search) memoryFile(ctx context.Context, src []byte, today string, texts []string) ([]byte, error) {
	var err error
	if src == nil && len(texts) > 0 {
		if src, err = memfile.New(memfile.Document{}); err != nil {
			return nil, err
		}
	}
	f, _ := memfile.Parse(memfile.FileName, src)
	if f == nil {
		return p.trace.Replace(src), nil
	}
	doc := f.Document()
	for _, text := range texts {
		key, keyErr := contents.TombstoneKey(p.st.Stores, text)
		err = errors.Join(err, keyErr, contents.RememberForgottenHash(p.st, memfile.Str(text), key))
		if contents.Tombstone(doc, key) == nil {
			doc.Deletions = append(doc.Deletions, memfile.Tombstone{Key: key, Removed: today, Reason: "purged"})
		}
	}
	for _, it := range doc.Items {
		if p.has(it.Value) {
			err = errors.Join(err, contents.RememberForgotten(p.st, it.Value, it.Key))
			doc.Deletions = append(doc.Deletions, memfile.Tombstone{Key: it.Key, Removed: today, Reason: "purged"})
		}
	}
	doc.Items = slices.DeleteFunc(doc.Items, func(it memfile.Item) bool { return p.has(it.Value) })
	earlier, readErr := p.earlierTexts(ctx)
	texts, err = append(texts, earlier...), errors.Join(err, readErr)
	salt := contents.Salt(doc)
	for i := range doc.Deletions {
		err = errors.Join(err, p.withoutText(&doc.Deletions[i], salt, texts))
	}
	if err != nil {
		return nil, err
	}
	if next, err := patch.Rewrite(f, doc); err == nil && !bytes.Equal(next, src) {
		doc.Updated = today
		if src, err = patch.Rewrite(f, doc); err != nil {
			return nil, err
		}
	}
	return p.trace.Replace(src), nil
}

// has reports whether a value holds the text.
func (p *Search) has(v memfile.Value) bool {
	return p.trace.FoundIn([]byte(v.YAML())) || p.trace.FoundIn([]byte(v.Text))
}

// goes reports whether a purge removes the file: that of a fact with the purged
// text, or of a summary or note that says nothing else. text is the entry's text,
// "" for a file that cannot be read.
func (p *Search) goes(name string, src []byte) (text string, is bool) {
	place, ok := entry.ParsePath(name)
	if !ok || place.Tier == entry.Turn {
		return "", false
	}
	f, _ := entry.Parse(name, src)
	if f == nil {
		return "", place.Tier == entry.Fact
	}
	text = f.Entry().Text
	if place.Tier == entry.Fact {
		return text, p.trace.FoundIn([]byte(text))
	}
	return text, strings.TrimSpace(string(p.trace.Replace([]byte(text)))) == policy.PurgedMark
}

// Hashes returns what tombstones have of the text, or of entries in history that hold it. Everybody who
// knows the salt could guess the text from them, so they are purged with it.
func (p *Search) Hashes(ctx context.Context) (list []string, err error) {
	doc, err := contents.Document(ctx, p.st)
	if err != nil {
		return nil, nil // nothing of a damaged file is recognised
	}
	texts, err := p.earlierTexts(ctx)
	for _, t := range doc.Deletions {
		if slices.ContainsFunc(texts, t.Recognises) {
			list = append(list, t.Hashes...)
		}
	}
	return list, err
}

// earlierTexts are those that the search is for, and those of entries in history that hold them.
func (p *Search) earlierTexts(ctx context.Context) (list []string, err error) {
	list = slices.Clone(p.trace.Texts())
	for id := range p.blobs {
		data, err := object.Blob(ctx, p.st.Repo, id)
		if err != nil {
			return nil, err
		}
		if _, text, ok := strings.Cut(string(data), "\n---\n"); ok {
			list = append(list, strings.TrimSpace(text))
		}
	}
	return list, nil
}

// withoutText makes a tombstone hold no text. One of a purged text loses its hashes too: this machine
// alone recognises the text.
func (p *Search) withoutText(t *memfile.Tombstone, salt string, purged []string) (err error) {
	text := ""
	if i := slices.IndexFunc(purged, t.Recognises); i >= 0 {
		text = purged[i]
	} else if t.Value == nil {
		return nil
	} else if !p.has(*t.Value) {
		*t = t.Hashed(salt)
		return nil
	} else {
		text = t.Value.Plain()
	}
	if t.Value, t.Hashes = nil, nil; t.Key == "" {
		t.Key, err = contents.TombstoneKey(p.st.Stores, text)
	}
	remember := contents.RememberForgotten
	if t.OfEntry() {
		remember = contents.RememberForgottenHash
	}
	if err == nil {
		err = remember(p.st, memfile.Str(text), t.Key)
	}
	return err
}

// PurgeState removes the text from local state: caches and a copy of the shared index with the text are deleted, and
// of other files the records that contain it.
func (p *Search) PurgeState(ctx context.Context, wait time.Duration) (err error) {
	unlock, err := p.st.Lock(ctx, wait, "purge")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	unlockQueue, err := ledger.LockState(ctx, p.st, ledger.QueueLock, wait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlockQueue()) }()
	if err := p.st.SharedState().Remove(rulesFile); err != nil {
		return err
	}
	if p.InCopy() { // without its text a skill would be another one
		if _, err := pulled.Remove(ctx, p.st.Stores); err != nil {
			return err
		}
	}
	return eachState(p.st, func(dir, name string, data []byte) error {
		state := statedir.Dir{Folder: dir, Top: dir}
		if cached(name) {
			return state.Remove(name) // it may hold words of the text in a form of its own
		}
		if !p.trace.FoundInState(data) {
			return nil
		}
		return state.Change(name, func(data []byte) (next []byte, err error) {
			switch {
			case strings.HasSuffix(name, ".jsonl"):
				next = p.withoutLines(data)
			case name == ledger.QueueFile:
				next = p.withoutRecords(data)
			default:
				next = p.trace.Replace(data)
			}
			if p.trace.FoundInState(next) {
				next = nil
			}
			return next, nil
		})
	})
}

// cached reports whether a file of local state can be built again.
func cached(name string) bool {
	return name == contents.SnapshotFile || name == store.LookupFile || strings.HasPrefix(name, "recall.") || strings.HasPrefix(name, "recall-")
}

func (p *Search) withoutLines(data []byte) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(data) {
		if !p.trace.FoundInState(line) {
			b.Write(line)
		}
	}
	return b.Bytes()
}

// withoutRecords are the queue's writes less those that hold the text; none where the queue cannot be read.
func (p *Search) withoutRecords(data []byte) []byte {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return nil
	}
	data, _ = json.Marshal(slices.DeleteFunc(list, func(w json.RawMessage) bool { return p.trace.FoundInState(w) }))
	return data
}
