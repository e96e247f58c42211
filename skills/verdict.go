package skills

import (
	"context"
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
// then. A budget below 0 is none. size is how much it read.
func (v *verdicts) check(folder string, budget int64) (verdict Verdict, size int64, ok bool) {
	now, err := listed(folder, v.now)
	if err != nil {
		return unread(err), 0, true
	}
	r := v.row(folder)
	if r.Listing != "" && r.Listing == now.digest {
		return Verdict{Findings: r.Findings, Refused: r.Refused, Digest: r.Digest}, 0, true
	}
	if budget >= 0 && now.bytes > budget {
		return Verdict{}, now.bytes, false
	}
	files, err := FilesIn(folder)
	if err == nil {
		verdict, err = judge(folder, files)
	}
	if err != nil {
		return unread(err), now.bytes, true
	}
	if now.settled && len(verdict.Findings) <= maxKept {
		r.Listing, r.Refused, r.Digest, r.Findings = now.digest, verdict.Refused, verdict.Digest, verdict.Findings
		v.fresh = true
	}
	return verdict, now.bytes, true
}

// unread is the verdict on a skill that cannot be read whole: nobody can accept it.
func unread(err error) Verdict {
	rule, message := check.RuleForm, "cannot be read: "+err.Error()
	if errors.Is(err, ErrTooLarge) {
		rule, message = check.RuleSize, err.Error()
	}
	return Verdict{Refused: rule, Findings: []check.Finding{{Rule: rule, Severity: check.Error, File: format.FileName, Line: 1, Column: 1, Message: message}}}
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
// while no file changes. What cannot be read is a finding.
func Check(ss *store.Stores, folder string) Verdict {
	verdict, _, _ := openVerdicts(ss).check(folder, -1)
	return verdict
}

// SaveChecks keeps what Check found.
func SaveChecks(ss *store.Stores) { openVerdicts(ss).save() }

// RefusedBy is the rule that keeps the skill from agents; "" where they may have it: check
// finds no error in its folder, or the person accepted it as it is. Of a version that a grant
// names, the SKILL.md of the version is checked too.
func (s Skill) RefusedBy(ctx context.Context, ss *store.Stores) string {
	if s.Folder == "" {
		return ""
	}
	return s.refusedFor(ctx, ss, Check(ss, s.Folder))
}

// refusedFor is RefusedBy for what check found in the folder.
func (s Skill) refusedFor(ctx context.Context, ss *store.Stores, folder Verdict) string {
	rule := s.unlessAccepted(ctx, ss, folder)
	if rule != "" || s.OnDisk() {
		return rule
	}
	src, err := s.Source(ctx, ss)
	verdict := Verdict{}
	if err == nil {
		verdict, err = judge(s.Folder, []check.File{{Path: format.FileName, Data: src}})
	}
	if err != nil {
		verdict = unread(err)
	}
	return s.unlessAccepted(ctx, ss, verdict)
}

// unlessAccepted is the rule that refuses a skill; "" where the person accepted it.
func (s Skill) unlessAccepted(ctx context.Context, ss *store.Stores, v Verdict) string {
	if v.Digest != "" && slices.Contains(ss.Accepted(ctx), v.Digest) {
		return ""
	}
	return v.Refused
}
