// Package format reads and changes the front matter of a SKILL.md, and checks a skill: its form, its sizes, links that lead
// out of it, and what an agent must not be told to do or run. It takes the files' bytes and returns findings.
//
// A skill is instructions on purpose, so the policy for memory does not fit it: that one
// refuses every order. The rules here look for orders that a person would not give: to hide
// something, to set aside earlier instructions, to disable protection, to send secrets away,
// to run what was just fetched.
package format

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/policy"
	"github.com/memctl/memctl/policy/chars"
)

// Revision changes by hand whenever a verdict could, because caches of verdicts depend on it.
const Revision = "8"

// MaxFile is how large a file of a skill may be, in bytes.
const MaxFile = 1 << 20

// What a SKILL.md should stay under, because an agent reads it whole.
const (
	maxLines = 500
	maxBody  = 5000 * 4 // characters, of about four to a token
)

// The rules.
const (
	RuleForm     = "skill-form"
	RuleSize     = "skill-size"
	RuleLink     = "skill-link"
	RuleFetch    = "fetch-and-run"
	RuleHide     = "hides-from-user"
	RuleOverride = "overrides-instructions"
	RuleDisable  = "disables-safety"
	RuleSend     = "sends-data"
	RuleAccess   = "opens-access"
	RuleObscure  = "obscured-code"
)

// File is one file of a skill.
type File struct {
	Path  string // from the skill's folder, with slashes
	Data  []byte
	Link  bool // it is a symbolic link; Data is where it leads
	Large bool // it was not read, because it has more than MaxFile bytes
}

// Check checks the files of one skill. folder is the name of its folder.
func Check(folder string, files []File) []fault.Finding {
	c := &checking{}
	main := slices.IndexFunc(files, func(f File) bool { return f.Path == FileName })
	if main < 0 {
		c.file = FileName
		c.add(RuleForm, fault.SeverityError, 1, 1, "the folder has no "+FileName, "")
	}
	for i, f := range files {
		c.file = f.Path
		switch {
		case f.Link:
			c.link(f, files)
			if i == main {
				c.add(RuleLink, fault.SeverityError, 1, 1, "is a link, so what an agent would read is not checked", "copy the file")
			}
		case f.Large:
			severity := fault.SeverityWarning
			if i == main {
				severity = fault.SeverityError // nobody has checked what an agent would read
			}
			c.add(RuleSize, severity, 1, 1, fmt.Sprintf("has more than %d bytes; memctl skills add refuses it", MaxFile), "")
		default:
			if i == main {
				c.form(folder, f.Data)
			}
			c.content(f)
			if i == main {
				c.described(folder, f.Data)
			}
		}
	}
	slices.SortStableFunc(c.list, func(a, b fault.Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return c.list
}

// Refused reports whether the findings keep the skill from agents.
func Refused(list []fault.Finding) bool {
	return slices.ContainsFunc(list, func(f fault.Finding) bool { return f.Severity == fault.SeverityError })
}

// checking is one check under way.
type checking struct {
	file string
	list []fault.Finding
}

func (c *checking) add(rule, severity string, line, column int, message, hint string) {
	for _, f := range c.list {
		if f.Rule == rule && f.File == c.file && f.Line == line {
			return
		}
	}
	c.list = append(c.list, fault.Finding{Rule: rule, Severity: severity, File: c.file, Line: line, Column: column, Message: message, Hint: hint})
}

// form checks the front matter and the sizes.
func (c *checking) form(folder string, src []byte) {
	head, problems := ParseHead(folder, src)
	for _, p := range problems {
		c.add(RuleForm, fault.SeverityError, p.Line, 1, p.Message, p.Hint)
	}
	body := src[min(head.Body, len(src)):]
	if lines := bytes.Count(body, []byte("\n")); lines > maxLines || utf8.RuneCount(body) > maxBody {
		c.add(RuleSize, fault.SeverityWarning, 1, 1, fmt.Sprintf("has %d lines and about %d tokens; an agent reads all of it", lines, utf8.RuneCount(body)/4), "move details to files that it names")
	}
}

// described checks name and description as every session is handed them: escapes of YAML can hide
// from content what they say.
func (c *checking) described(folder string, src []byte) {
	head, _ := ParseHead(folder, src)
	said := &checking{file: c.file}
	said.content(File{Path: c.file, Data: []byte(head.Name + "\n" + head.Description)})
	for _, f := range said.list {
		if !slices.ContainsFunc(c.list, func(g fault.Finding) bool { return g.File == f.File && g.Rule == f.Rule && g.Severity == f.Severity }) {
			c.add(f.Rule, f.Severity, 1, 1, f.Message, f.Hint)
		}
	}
}

// link checks a symbolic link.
func (c *checking) link(f File, files []File) {
	if !Inside(f, files) {
		c.add(RuleLink, fault.SeverityError, 1, 1, "is a link that leads out of the skill, or through another link", "copy the file")
	}
}

// Inside reports whether a symbolic link leads to a place inside the skill of these files. Its
// way there must not go through a folder that is a link: "folder/.." is another place then than
// the path says.
func Inside(link File, files []File) bool {
	target := string(link.Data)
	if path.IsAbs(target) {
		return false
	}
	at, passed := path.Dir(link.Path), ""
	for step := range strings.SplitSeq(target, "/") {
		switch {
		case step == "" || step == ".":
			continue
		case isLink(passed, files), step == ".." && at == ".":
			return false
		}
		at = path.Join(at, step)
		passed = at
	}
	return true
}

// isLink reports whether a path is that of a link, on file systems that ignore case too.
func isLink(name string, files []File) bool {
	return slices.ContainsFunc(files, func(f File) bool { return f.Link && strings.EqualFold(f.Path, name) })
}

// leadsOut reports whether a path from the file's folder leaves the skill.
func leadsOut(file, target string) bool {
	p := path.Join(path.Dir(file), target)
	return p == ".." || strings.HasPrefix(p, "../")
}

// content checks the bytes of one file by every rule.
func (c *checking) content(f File) {
	if bytes.IndexByte(f.Data, 0) >= 0 || !utf8.Valid(f.Data) {
		if f.Path == FileName {
			c.add(RuleForm, fault.SeverityError, 1, 1, "is not UTF-8 text", "save it as UTF-8")
		}
		if bytes.IndexByte(f.Data, 0) >= 0 && !isRead(f) {
			return // a picture, a font or a program: nobody reads it as text
		}
		f.Data = bytes.ReplaceAll(bytes.ToValidUTF8(f.Data, []byte("?")), []byte{0}, nil)
	}
	c.secrets(f)
	text := strings.TrimPrefix(string(f.Data), "\ufeff")
	c.hidden(text)
	prose := isProse(f.Path)
	if prose {
		c.links(text)
	}
	c.text(text, prose)
}

// secrets looks for credentials. One whose form shows what it is gives an error. What only the
// words around it make likely gives a warning, because skills show how to log in with examples;
// in a program a long value that is no password is an error too.
func (c *checking) secrets(f File) {
	kinds := []string{"password", "service-key", "test-key", "url-password", "connection-string", "authorization-header", "command-line-password", "passphrase"}
	if isProse(f.Path) {
		kinds = append(kinds, "token", "api-key", "credential", "secret", "cookie")
	}
	lines := bytes.Split(f.Data, []byte("\n"))
	for _, s := range policy.Scan(f.Data) {
		severity := fault.SeverityError
		if slices.Contains(kinds, s.Kind) || s.Line <= len(lines) && bytes.Contains(bytes.ToLower(lines[s.Line-1]), []byte("example")) {
			severity = fault.SeverityWarning
		}
		c.add(policy.RuleSecret, severity, s.Line, s.Column, "looks like a secret ("+s.Kind+")", s.Hint)
	}
}

// isProse reports whether a file is text for people and agents, not a program.
func isProse(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".mdx", ".markdown", ".txt", ".rst", "":
		return true
	}
	return false
}

// isRead reports whether somebody reads or runs the file as text, whatever bytes it has.
func isRead(f File) bool {
	switch strings.ToLower(path.Ext(f.Path)) {
	case ".sh", ".bash", ".zsh", ".py", ".rb", ".pl", ".php", ".lua", ".js", ".mjs", ".cjs", ".ts", ".ps1", ".bat", ".cmd", ".json", ".yaml", ".yml", ".toml":
		return true
	}
	return isProse(f.Path) && path.Ext(f.Path) != "" || bytes.HasPrefix(f.Data, []byte("#!"))
}

// maxStray is how many invisible characters a file may have that came with a copied text.
const maxStray = 4

// hidden looks for characters that a person does not see and a model reads.
func (c *checking) hidden(text string) {
	line, stray, first := 0, 0, 0
	for at := range strings.Lines(text) {
		line++
		kind := chars.HiddenKind(at)
		if kind == "zero-width" || kind == "control" {
			for i, r := range at {
				if chars.HiddenRune(r, utf8.RuneLen(r), at, i) != "" {
					stray++
				}
			}
			first = cmp.Or(first, line)
		} else if kind != "" {
			c.add(policy.RuleHidden, fault.SeverityError, line, 1, "contains characters that a reader cannot see ("+kind+")", "remove them")
		}
	}
	severity := fault.SeverityWarning
	if stray > maxStray {
		severity = fault.SeverityError
	}
	if stray > 0 {
		c.add(policy.RuleHidden, severity, first, 1, fmt.Sprintf("contains %d characters that a reader cannot see", stray), "remove them")
	}
}

// links checks where the links of a Markdown text lead.
func (c *checking) links(text string) {
	line := 0
	for at := range strings.Lines(text) {
		line++
		for rest, col := at, 0; ; {
			i := strings.Index(rest, "](")
			if i < 0 {
				break
			}
			rest, col = rest[i+2:], col+i+2
			target, _, ok := strings.Cut(rest, ")")
			if !ok {
				break
			}
			target, _, _ = strings.Cut(strings.Trim(strings.TrimSpace(target), "<>"), "#")
			target, _, _ = strings.Cut(target, " ")
			c.target(target, line, col+1)
		}
	}
}

func (c *checking) target(target string, line, column int) {
	lower := strings.ToLower(target)
	switch {
	case strings.HasPrefix(lower, "file:"), strings.HasPrefix(target, "~"), path.IsAbs(target) && privatePath(lower), leadsOut(c.file, target) && privatePath(lower):
		c.add(RuleLink, fault.SeverityError, line, column, "links to a file outside of the skill", "put the file into the skill's folder")
	case strings.Contains(target, "://"), strings.HasPrefix(lower, "mailto:"), path.IsAbs(target):
	case leadsOut(c.file, target):
		c.add(RuleLink, fault.SeverityWarning, line, column, "links to a file outside of the skill, which is missing where the skill is installed alone", "put the file into the skill's folder")
	}
}

// privatePath reports whether a path is where systems and people keep what is secret.
func privatePath(lower string) bool {
	return chars.ContainsAny(lower, "/etc/", "/.ssh", "/.aws", "/.gnupg", "/.netrc", "/.kube", "/.config/", "/.env", "/proc/", "/root/", "/var/", "id_rsa", "credentials")
}
