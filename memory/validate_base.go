package memory

import (
	"context"
	"errors"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	recovery "github.com/memctl/memctl/recover"
	"github.com/memctl/memctl/store"
)

// The rules of what can go wrong between two versions of a memory file.
const (
	ruleTombstoneDropped = "tombstone-dropped"
	ruleResurrected      = "resurrected"
	ruleGone             = "gone-without-tombstone"
	ruleRaised           = "confidence-raised"
)

// fileAt reads a file as it stands in a revision. Where a shallow clone does
// not have the revision, the error names the command that fetches it.
func fileAt(ctx context.Context, ss *store.Stores, rev, name string) ([]byte, bool, error) {
	repo, path, err := ss.InRepository(name)
	if err != nil {
		return nil, false, err
	}
	src, ok, err := repo.FileAt(ctx, rev, path)
	var unknown *gitops.UnknownRevisionError
	if errors.As(err, &unknown) && repo.Shallow() {
		return nil, false, &Error{
			Code: "shallow-clone", Status: 2,
			Message: quoted(rev) + ": is not in this shallow clone",
			Hints:   []string{"git fetch --depth=1 origin " + policy.Inert(rev), "git fetch --unshallow"},
		}
	}
	return src, ok, err
}

// since lists what has gone wrong between the base and the file: forgetting
// undone, items gone without a trace, confidence raised by no person.
func (req ValidateRequest) since(ctx context.Context, ss *store.Stores, name string, src []byte) ([]Validation, error) {
	old, ok, err := fileAt(ctx, ss, req.Base, name)
	if err != nil || !ok {
		return nil, err
	}
	before, after := readable(name, old), readable(name, src)
	var list []Validation
	report := func(rule, key string, line, column int, message, hint string) {
		v := Validation{Rule: rule, Severity: string(memfile.Warning), File: name, Line: max(line, 1), Column: max(column, 1),
			Key: policy.Inert(redacted(key)), Message: message, Hint: hint}
		if req.Strict {
			v.Severity = string(memfile.Error)
		}
		list = append(list, v)
	}
	for _, t := range before.Deletions {
		if t.Key == "" || store.Tombstone(after, t.Key) != nil {
			continue
		}
		if i := find(&after, t.Key); i >= 0 {
			report(ruleResurrected, t.Key, after.Items[i].Line, after.Items[i].Column,
				"an item that was forgotten is back", "a person brings it back with memctl restore or memctl add")
			continue
		}
		report(ruleTombstoneDropped, t.Key, 1, 1, "the tombstone of a forgotten key is gone: "+policy.Inert(redacted(t.Key)), "put the entry in deletions back")
	}
	for _, it := range before.Items {
		i := find(&after, it.Key)
		switch {
		case i < 0 && store.Tombstone(after, it.Key) == nil:
			report(ruleGone, it.Key, 1, 1, "an item is gone without a tombstone: "+policy.Inert(redacted(it.Key)), "memctl forget leaves one")
		case i >= 0 && level(after.Items[i].Confidence) > level(it.Confidence) && after.Items[i].By != "":
			report(ruleRaised, it.Key, after.Items[i].Line, after.Items[i].Column,
				"confidence went from "+confidenceAt(level(it.Confidence))+" to "+confidenceAt(level(after.Items[i].Confidence))+" without a person", "memctl confirm, by a person")
		}
	}
	return list, nil
}

// readable is what a version of a memory file says, as far as it can be read.
func readable(name string, src []byte) memfile.Document {
	if f, _ := memfile.Parse(name, src); f != nil {
		return f.Document()
	}
	return recovery.Salvage(name, src, recovery.Options{})
}
