package memory

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/memfile"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/store"
)

// Validate checks memory files: what is wrong with their form, what the policy
// objects to, and with a base what has gone wrong since. Files that are named
// need no repository; with none named it checks the session's own, and finds
// nothing where there is none.
func Validate(ctx context.Context, ss *store.Stores, req ValidateRequest) (ValidateResult, error) {
	res := ValidateResult{Schema: SchemaNumber, Findings: []Validation{}}
	files, scope, err := req.files(ctx, ss)
	if err != nil {
		return res, err
	}
	for _, name := range files {
		src, ok, err := req.read(ctx, ss, name)
		if err != nil {
			return res, err
		}
		if !ok && len(req.Files) == 0 {
			continue // the session's own file, which the index or the revision does not have
		}
		if !ok {
			return res, &Error{Code: ruleNotFound, Status: 2, Message: quoted(name) + ": is not in " + req.place()}
		}
		res.FileCount++
		found := check(name, src, scope)
		if req.Base != "" {
			since, err := req.since(ctx, ss, name, src)
			if err != nil {
				return res, err
			}
			found = append(found, since...)
		}
		sortFindings(found)
		res.Findings = append(res.Findings, found...)
	}
	return res, nil
}

func sortFindings(list []Validation) {
	slices.SortStableFunc(list, func(a, b Validation) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// files are those that the request means, and the scope that they count as.
func (req ValidateRequest) files(ctx context.Context, ss *store.Stores) (files []string, scope string, err error) {
	scope = cmp.Or(req.Scope, store.Project)
	if len(req.Files) > 0 {
		return req.Files, scope, nil
	}
	st, err := sessionStore(ctx, ss, req.Scope)
	var none *store.ScopeError
	if errors.As(err, &none) && req.Scope == "" {
		return nil, scope, nil
	}
	if err != nil {
		return nil, scope, err
	}
	if st.Dir == "" {
		return nil, st.Scope, nil
	}
	return []string{st.Name()}, st.Scope, nil
}

// read gives the file's bytes from the disk, the index or the revision.
func (req ValidateRequest) read(ctx context.Context, ss *store.Stores, name string) (src []byte, ok bool, err error) {
	switch {
	case req.Rev != "":
		return fileAt(ctx, ss, req.Rev, name)
	case req.Staged:
		repo, path, err := ss.InRepository(name)
		if err != nil {
			return nil, false, err
		}
		return repo.Staged(ctx, path)
	}
	src, err = readNamed(ss.Abs(name))
	if errors.Is(err, fs.ErrNotExist) && len(req.Files) == 0 {
		return nil, false, nil
	}
	return src, err == nil, err
}

func (req ValidateRequest) place() string {
	if req.Rev != "" {
		return policy.Inert(req.Rev)
	}
	return "the index"
}

// readNamed reads a file that the person named, with the limits of a memory
// file.
func readNamed(path string) ([]byte, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	src, _, err := safefile.Read(root, filepath.Base(path), memfile.MaxFileBytes)
	return src, err
}

// check lists the findings of one file.
func check(name string, src []byte, scope string) []Validation {
	var list []Validation
	file, problems := memfile.Parse(name, src)
	if file != nil {
		if p, differ := file.ReadersDiffer(); differ {
			problems = append(problems, p)
		}
	}
	for _, p := range problems {
		list = append(list, Validation{
			Rule: p.Rule, Severity: string(p.Severity), File: p.File, Line: max(p.Line, 1), Column: max(p.Column, 1),
			Key: policy.Inert(redacted(p.Key)), Message: p.Message, Hint: p.Hint,
		})
	}
	secretAt := map[int]bool{}
	for _, f := range policy.Scan(src) {
		list = append(list, validation(f, name, f.Line, f.Column, ""))
		secretAt[f.Line] = true
	}
	if file != nil {
		list = append(list, checkItems(name, file.Document(), scope, secretAt)...)
	}
	return list
}

// checkItems rules on every item and tombstone. A secret that the scan of the
// whole file has already found inside the item is not reported twice.
func checkItems(name string, doc memfile.Document, scope string, secretAt map[int]bool) []Validation {
	var list []Validation
	ends := entryEnds(doc)
	report := func(found []policy.Finding, line, column int, key string) {
		for _, f := range found {
			if f.Verdict == policy.Accept || f.Rule == "secret" && anyIn(secretAt, line, ends[line]) {
				continue
			}
			list = append(list, validation(f, name, line, column, key))
		}
	}
	for _, it := range doc.Items {
		report(policy.Rule(policy.FromItem(it, scope)).Findings, it.Line, it.Column, it.Key)
	}
	for _, t := range doc.Deletions {
		c := policy.Candidate{Key: t.Key, Reason: t.Reason, Scope: scope, Raw: true}
		if t.Value != nil {
			c.Value = *t.Value
		}
		report(policy.Rule(c).Findings, t.Line, t.Column, t.Key)
	}
	return list
}

// entryEnds maps an entry's first line to the line where the next one begins.
func entryEnds(doc memfile.Document) map[int]int {
	var lines []int
	for _, it := range doc.Items {
		lines = append(lines, it.Line)
	}
	for _, t := range doc.Deletions {
		lines = append(lines, t.Line)
	}
	slices.Sort(lines)
	ends := map[int]int{}
	for i, line := range lines {
		ends[line] = line + 1000
		if i+1 < len(lines) {
			ends[line] = lines[i+1]
		}
	}
	return ends
}

func anyIn(lines map[int]bool, from, to int) bool {
	for line := range lines {
		if line >= from && line < max(to, from+1) {
			return true
		}
	}
	return false
}

func validation(f policy.Finding, name string, line, column int, key string) Validation {
	v := Validation{
		Rule: f.Rule, Severity: string(memfile.Warning), File: name, Line: max(line, 1), Column: max(column, 1),
		Key: policy.Inert(redacted(key)), Message: f.Message, Hint: f.Hint,
	}
	if f.Verdict == policy.Refuse {
		v.Severity = string(memfile.Error)
	}
	if f.Where != "" {
		v.Message = f.Where + ": " + f.Message
	}
	return v
}
