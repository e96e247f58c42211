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

// Validate checks memory files: what is wrong with their form, and what the
// policy objects to. Files that are named need no repository; with none named
// it checks the session's own, and finds nothing where there is none.
func Validate(ctx context.Context, ss *store.Stores, req ValidateRequest) (ValidateResult, error) {
	res := ValidateResult{Schema: SchemaNumber, Findings: []Validation{}}
	files := req.Files
	scope := cmp.Or(req.Scope, store.Project)
	if len(files) == 0 {
		st, err := sessionStore(ctx, ss, req.Scope)
		var none *store.ScopeError
		if errors.As(err, &none) && req.Scope == "" {
			return res, nil
		}
		if err != nil {
			return res, err
		}
		scope = st.Scope
		if _, err := os.Lstat(st.Path()); st.Dir == "" || errors.Is(err, fs.ErrNotExist) {
			return res, nil
		}
		files = []string{st.Name()}
	}
	for _, name := range files {
		src, err := readNamed(ss.Abs(name))
		if err != nil {
			return res, err
		}
		res.FileCount++
		res.Findings = append(res.Findings, check(name, src, scope)...)
	}
	return res, nil
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

// check lists the findings of one file, in the order of its lines.
func check(name string, src []byte, scope string) []Validation {
	var list []Validation
	file, problems := memfile.Parse(name, src)
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
	slices.SortStableFunc(list, func(a, b Validation) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
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
