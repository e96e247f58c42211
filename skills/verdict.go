package skills

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"

	"github.com/memctl/memctl/skills/check"
	"github.com/memctl/memctl/skills/format"
	"github.com/memctl/memctl/store"
)

// Verdict is what check found in one skill.
type Verdict struct {
	Findings []check.Finding
	// Refused is the rule of the first error, "" for a skill that agents may have.
	Refused string
	// Digest names the content of a refused skill, for acceptances.
	Digest string
}

// check is what check finds in a skill's folder, from the cache where no file changed. Without
// a cached verdict it reads the folder, unless that has more than budget bytes: ok is false
// then. A budget below 0 is none.
func (v *verdicts) check(folder string, budget int64) (verdict Verdict, size int64, ok bool, err error) {
	now, err := listed(folder, v.now)
	if errors.Is(err, ErrTooLarge) {
		return tooLarge(), 0, true, nil
	}
	if err != nil {
		return verdict, 0, false, err
	}
	r := v.row(folder)
	if r.listing != "" && r.listing == now.digest {
		verdict = Verdict{Refused: r.refused, Digest: r.digest}
		if r.findings == "" || json.Unmarshal([]byte(r.findings), &verdict.Findings) == nil {
			return verdict, 0, true, nil
		}
	}
	if budget >= 0 && now.bytes > budget {
		return Verdict{}, now.bytes, false, nil
	}
	verdict, err = judgeFolder(folder)
	if err != nil || !now.settled {
		return verdict, now.bytes, err == nil, err
	}
	kept := ""
	if len(verdict.Findings) > 0 {
		data, err := json.Marshal(verdict.Findings)
		if err != nil || len(data) > maxKept {
			return verdict, now.bytes, true, nil
		}
		kept = string(data)
	}
	r.listing, r.refused, r.digest, r.findings = now.digest, verdict.Refused, verdict.Digest, kept
	v.fresh = true
	return verdict, now.bytes, true, nil
}

// tooLarge is the verdict on a folder that is not read.
func tooLarge() Verdict {
	return Verdict{Refused: check.RuleSize, Findings: []check.Finding{{
		Rule: check.RuleSize, Severity: check.Error, File: format.FileName, Line: 1, Column: 1, Message: ErrTooLarge.Error(),
	}}}
}

func judgeFolder(folder string) (Verdict, error) {
	files, err := FilesIn(folder)
	if errors.Is(err, ErrTooLarge) {
		return tooLarge(), nil
	}
	if err != nil {
		return Verdict{}, err
	}
	return judge(folder, files)
}

// judge checks the files of a folder.
func judge(folder string, files []check.File) (v Verdict, err error) {
	v.Findings = check.Skill(filepath.Base(folder), files)
	if i := slices.IndexFunc(v.Findings, func(f check.Finding) bool { return f.Severity == check.Error }); i >= 0 {
		v.Refused = v.Findings[i].Rule
		v.Digest, err = Digest(folder, files)
	}
	return v, err
}

// Check is what check finds in a skill's folder; what it found before is taken from a cache
// while no file changes. Errors: those of reading; ErrTooLarge.
func Check(ss *store.Stores, folder string) (Verdict, error) {
	v := openVerdicts(ss)
	verdict, _, _, err := v.check(folder, -1)
	return verdict, err
}

// SaveChecks keeps what Check found.
func SaveChecks(ss *store.Stores) { openVerdicts(ss).save() }

// RefusedBy is the rule that keeps the skill from agents; "" where they may have it: check
// finds no error in its folder, or the person accepted it as it is. Of a version that a grant
// names, its SKILL.md is checked. Errors: those of reading.
func (s Skill) RefusedBy(ctx context.Context, ss *store.Stores) (string, error) {
	if s.Folder == "" {
		return "", nil
	}
	var verdict Verdict
	var err error
	if s.Commit == "" {
		verdict, err = Check(ss, s.Folder)
	} else {
		verdict, err = s.checkPinned(ctx, ss)
	}
	return s.unlessAccepted(ctx, ss, verdict), err
}

func (s Skill) checkPinned(ctx context.Context, ss *store.Stores) (Verdict, error) {
	src, err := s.Source(ctx, ss)
	if err != nil {
		return Verdict{}, err
	}
	return judge(s.Folder, []check.File{{Path: format.FileName, Data: src}})
}

// unlessAccepted is the rule that refuses a skill; "" where the person accepted it.
func (s Skill) unlessAccepted(ctx context.Context, ss *store.Stores, v Verdict) string {
	if v.Digest != "" && slices.Contains(ss.Accepted(ctx), v.Digest) {
		return ""
	}
	return v.Refused
}
