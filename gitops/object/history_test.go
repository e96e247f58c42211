package object

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/tests/gittest"
)

// told lists what History says, a line a version: subject, and the contents
// before (one for each parent) and after.
func told(t *testing.T, r *gitops.Repo, rev, path string, max int) []string {
	t.Helper()
	var lines []string
	text := func(id string) string {
		if id == "" {
			return "-"
		}
		data, err := Blob(background, r, id)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(string(data)), "")
	}
	err := History(background, r, rev, path, max, func(v Version) bool {
		var befores []string
		for _, id := range v.Befores {
			befores = append(befores, text(id))
		}
		if v.Before != v.Befores[0] {
			t.Errorf("Before = %q, Befores = %q", v.Before, v.Befores)
		}
		if n := len(v.Parents); n != len(v.Befores) && n != 0 {
			t.Errorf("%s: %d parents, %d befores", v.Subject, n, len(v.Befores))
		}
		lines = append(lines, fmt.Sprintf("%s: %s>%s", v.Subject, strings.Join(befores, "|"), text(v.After)))
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

const four = "a\nb\nc\nd\n"

func TestHistory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup func(b *gittest.Box)
		rev   string
		path  string
		max   int
		want  []string
	}{
		"one line": {
			setup: func(b *gittest.Box) {
				b.Step("two", "2")
				b.Git("commit", "-q", "--allow-empty", "-m", "none")
				b.Step("three", "3")
			},
			want: []string{"three: 2>3", "two: one>2", "begin: ->one"},
		},
		"deleted and back": {
			setup: func(b *gittest.Box) {
				b.Git("rm", "-q", gittest.Memory)
				b.Git("commit", "-q", "-m", "gone")
				b.Step("back", "2")
			},
			want: []string{"back: ->2", "gone: one>-", "begin: ->one"},
		},
		"a mode alone": {
			setup: func(b *gittest.Box) {
				b.Git("update-index", "--chmod=+x", gittest.Memory)
				b.Git("commit", "-q", "-m", "mode")
			},
			want: []string{"mode: one>one", "begin: ->one"},
		},
		"a link in between": {setup: func(b *gittest.Box) {
			b.Remove(gittest.Memory)
			gittest.Symlink(b.T, "other.txt", filepath.Join(b.Root, gittest.Memory))
			b.Git("commit", "-q", "-a", "-m", "link")
			b.Remove(gittest.Memory)
			b.Step("file", "2")
		}, want: []string{"file: ->2", "link: one>-", "begin: ->one"}},
		"at most two":        {setup: func(b *gittest.Box) { b.Step("two", "2"); b.Step("three", "3") }, max: 2, want: []string{"three: 2>3", "two: one>2"}},
		"from a revision":    {setup: func(b *gittest.Box) { b.Step("two", "2"); b.Step("three", "3") }, rev: "HEAD~1", want: []string{"two: one>2", "begin: ->one"}},
		"no such file":       {setup: func(b *gittest.Box) {}, path: "nowhere.md"},
		"a glob is a name":   {setup: func(b *gittest.Box) { b.Step("two", "2") }, path: "*.md"},
		"an unborn branch":   {setup: func(b *gittest.Box) { b.Git("checkout", "-q", "--orphan", "new") }},
		"a file in a folder": {setup: func(b *gittest.Box) { b.Write("a b/ü.md", "x"); b.Git("add", "."); b.Git("commit", "-q", "-m", "in") }, path: "a b/ü.md", want: []string{"in: ->x"}},
		"a rename is no way around": {
			setup: func(b *gittest.Box) {
				b.Git("mv", gittest.Memory, "new.md")
				b.Git("commit", "-q", "-m", "moved")
				b.Git("config", "log.follow", "true")
				b.Git("config", "diff.renames", "copies")
			},
			path: "new.md", want: []string{"moved: ->one"},
		},
		"a merge of changes to different lines": {
			setup: mergeOf("A\nb\nc\nd\n", "a\nb\nc\nD\n", ""),
			want:  []string{"merge: abcD|Abcd>AbcD", "ours: abcd>abcD", "theirs: abcd>Abcd", "base: one>abcd", "begin: ->one"},
		},
		"a merge that took one side": {
			setup: mergeOf("A\nb\nc\nd\n", "", ""),
			want:  []string{"theirs: abcd>Abcd", "base: one>abcd", "begin: ->one"},
		},
		"a merge that did something of its own": {
			setup: mergeOf("A\nb\nc\nd\n", "a\nb\nc\nD\n", "evil\n"),
			want:  []string{"merge: abcD|Abcd>evil", "ours: abcd>abcD", "theirs: abcd>Abcd", "base: one>abcd", "begin: ->one"},
		},
		"a merge that threw one side away": {
			setup: mergeOf("A\nb\nc\nd\n", "a\nb\nc\nD\n", "a\nb\nc\nD\n"),
			want:  []string{"ours: abcd>abcD", "theirs: abcd>Abcd", "base: one>abcd", "begin: ->one"},
		},
		"every ref, less our own": {setup: func(b *gittest.Box) {
			b.Git("checkout", "-q", "-b", "side")
			b.Step("side", "side")
			b.Git("update-ref", "refs/elsewhere/x", "HEAD")
			b.Git("checkout", "-q", "--orphan", "journal")
			b.Step("journal", "journal")
			b.Git("update-ref", "refs/memctl/journal", "HEAD")
			b.Git("checkout", "-q", "main")
			b.Git("branch", "-q", "-D", "journal", "side")
		}, rev: "--all", want: []string{"side: one>side", "begin: ->one"}},
		"settings that change what log says": {setup: func(b *gittest.Box) {
			for _, kv := range []string{
				"log.follow=true", "log.showSignature=true", "log.showRoot=false", "log.date=relative", "log.diffMerges=off",
				"format.pretty=oneline", "color.ui=always", "diff.external=false", "diff.noprefix=true", "log.decorate=full",
				"core.abbrev=5", "diff.renames=copies", "log.abbrevCommit=true", "core.pager=false", "core.quotePath=true",
				"diff.mnemonicPrefix=true", "log.initialDecorationSet=all", "diff.orderFile=.git/HEAD", "notes.displayRef=*",
			} {
				k, v, _ := strings.Cut(kv, "=")
				b.Git("config", k, v)
			}
			b.Git("notes", "add", "-m", "a note", "HEAD")
			b.Git("mv", gittest.Memory, "new.md")
			b.Git("commit", "-q", "-m", "moved")
			mergeOf("A\nb\nc\nd\n", "a\nb\nc\nD\n", "")(b)
		}, want: []string{"merge: abcD|Abcd>AbcD", "ours: abcd>abcD", "theirs: abcd>Abcd", "base: ->abcd", "moved: one>-", "begin: ->one"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := gittest.NewBox(t)
			c.setup(b)
			if c.path == "" {
				c.path = gittest.Memory
			}
			got := told(t, findRepo(b), c.rev, c.path, c.max)
			// Commits of one second come in either order where neither is the other's ancestor.
			if i := index(got, "theirs: abcd>Abcd"); i >= 0 && i+1 < len(got) && strings.HasPrefix(got[i+1], "ours") {
				got[i], got[i+1] = got[i+1], got[i]
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("History:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func index(list []string, s string) int {
	for i, l := range list {
		if l == s {
			return i
		}
	}
	return -1
}

// mergeOf merges a side with the file as theirs into one with it as ours ("":
// unchanged there); result "" takes what git makes of it.
func mergeOf(theirs, ours, result string) func(b *gittest.Box) {
	return func(b *gittest.Box) {
		b.Step("base", four)
		b.Git("checkout", "-q", "-b", "side")
		b.Step("theirs", theirs)
		b.Git("checkout", "-q", "main")
		if ours != "" {
			b.Step("ours", ours)
		} else {
			b.Git("commit", "-q", "--allow-empty", "-m", "ours")
		}
		b.Git("merge", "-q", "--no-ff", "--no-commit", "side")
		if result != "" {
			b.Write(gittest.Memory, result)
			b.Git("add", gittest.Memory)
		}
		b.Git("commit", "-q", "-m", "merge")
	}
}

// TestHistoryTellsTheCommit: author, date, message and trailers as they are.
func TestHistoryTellsTheCommit(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	b.Git("config", "i18n.logOutputEncoding", "ISO-8859-1")
	b.Write(gittest.Memory, "two\n")
	message, err := Message("memory: add x", "why: because\n\nmore", []Trailer{{"Memory-Act", "add"}, {"Memory-Source", "explicit: user"}})
	if err != nil {
		t.Fatal(err)
	}
	b.Git("commit", "-q", "-a", "--cleanup=verbatim", "-m", message)
	id := b.Git("rev-parse", "HEAD")
	b.Write(gittest.Memory, "three\n")
	b.Git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "-a", "-m", "gr\xfc\xdfe", "--author=B <b@c>", "--date=2020-02-03T04:05:06+0200")
	b.Write(gittest.Memory, "four\n")
	b.Git("commit", "-q", "-a", "--allow-empty-message", "-m", "")
	b.Write(gittest.Memory, "five\n")
	b.Git("commit", "-q", "-a", "--cleanup=verbatim", "-m", "\x02mark\n\n:100644 100644\n")
	var got []Version
	if err := History(background, findRepo(b), "", gittest.Memory, 4, func(v Version) bool { got = append(got, v); return true }); err != nil {
		t.Fatal(err)
	}
	if got[0].Subject != "\x02mark" || got[0].Body != ":100644 100644" || got[1].Subject != "" {
		t.Errorf("odd messages: %q, %q, %q", got[0].Subject, got[0].Body, got[1].Subject)
	}
	v := got[2]
	if v.Subject != "grüße" || v.Author != "B" || v.Email != "b@c" || v.Date.Format("2006-01-02T15:04:05Z0700") != "2020-02-03T04:05:06+0200" {
		t.Errorf("version = %+v", v)
	}
	v = got[3]
	if v.Commit != id || v.Author != "Ada" || len(v.Parents) != 1 || v.Body != "why: because\n\nmore\n\nMemory-Act: add\nMemory-Source: explicit: user" {
		t.Errorf("version = %+v", v)
	}
	if want := []Trailer{{"Memory-Act", "add"}, {"Memory-Source", "explicit: user"}}; !reflect.DeepEqual(v.Trailers, want) {
		t.Errorf("trailers = %+v", v.Trailers)
	}
}

// TestHistoryEnds when told to, and says what it cannot find.
func TestHistoryEnds(t *testing.T) {
	t.Parallel()
	b := gittest.NewBox(t)
	for i := range 5 {
		b.Step("more", fmt.Sprint(i))
	}
	count := 0
	err := History(background, findRepo(b), "", gittest.Memory, 0, func(Version) bool { count++; return count < 3 })
	if err != nil || count != 3 {
		t.Errorf("%d versions, %v", count, err)
	}
	for _, rev := range []string{"nope", "--output=x", "-1", "HEAD~99", "a\x00b", "main:memories.md", strings.Repeat("1", 40)} {
		if err := History(background, findRepo(b), rev, gittest.Memory, 0, func(Version) bool { return true }); !fault.Is(err, fault.UnknownRevision) {
			t.Errorf("%q: %v", rev, err)
		}
	}
	ctx, cancel := context.WithCancel(background)
	cancel()
	if err := History(ctx, findRepo(b), "", gittest.Memory, 0, func(Version) bool { return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestParseTrailers(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][]Trailer{
		"":                                nil,
		"A: b":                            nil,
		"s\n\nA: b":                       {{"A", "b"}},
		"s\n\nA: b\nc d":                  nil,
		"s\n\nA: b\n\nmore":               nil,
		"s\r\n\r\nA: b\r\nC: d: e\r\n":    {{"A", "b"}, {"C", "d: e"}},
		"s\n\nbody\n\nA-1:b\n  goes on\n": {{"A-1", "b goes on"}},
		"s\n\nA b: c":                     nil,
		"s\n\nA:":                         {{"A", ""}},
		"s\n\n: c":                        nil,
		"s\n\n continues nothing":         nil,
	} {
		if got := ParseTrailers(message); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", message, got, want)
		}
	}
}

// FuzzMessage: what Message prints, ParseTrailers reads back, and git agrees
// that it is text without a NUL.
func FuzzMessage(f *testing.F) {
	f.Add("memory: add x", "body\n\nA: b", "Memory-Act", "add\nB: c")
	f.Add("s", "", "A", "")
	f.Fuzz(func(t *testing.T, subject, body, name, value string) {
		m, err := Message(subject, body, []Trailer{{"Memory-Act", value}, {name, subject}})
		if err != nil {
			return
		}
		got := ParseTrailers(m)
		if want := []Trailer{{"Memory-Act", OneLine(value)}, {name, OneLine(subject)}}; !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", m, got, want)
		}
		if line, _, _ := strings.Cut(m, "\n"); line != OneLine(subject) || strings.ContainsRune(m, 0) {
			t.Errorf("%q: subject %q", m, line)
		}
	})
}

// FuzzReadHistory: whatever git answers, no panic; what is listed is whole.
func FuzzReadHistory(f *testing.F) {
	id := strings.Repeat("1", 40)
	f.Add("\x02" + id + "\x00\x00a\x00b\x002020-01-01T00:00:00Z\x00s\n\x00\n:000000 100644 " + strings.Repeat("0", 40) + " " + id + " A\x00f\x00")
	f.Add("\x02" + id + "\x00\x00\x00::1\x00")
	f.Add(":000000 100644 " + strings.Repeat("0", 40) + " " + id + " A\x00f\x00")
	f.Fuzz(func(t *testing.T, out string) {
		_, _ = eachRawChange(strings.NewReader(out), func(v Version, raw, _ string) (bool, error) {
			if err := v.addRaw(raw); err != nil {
				return false, err
			}
			if !gitops.IsID(v.Commit) || len(v.Befores) == 0 || v.After != "" && !gitops.IsID(v.After) {
				t.Errorf("%+v", v)
			}
			return true, nil
		})
	})
}
