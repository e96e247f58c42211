package states

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// forms: how the repository keeps its objects, refs and index.
func forms() []row {
	return append([]row{
		{name: "SHA-256", want: committed(), init: []string{"--object-format=sha256"}},
		{name: "a shallow clone", want: committed(), build: func(w *world) { w.cloneTo(w.other("clone"), "--depth=1") }},
		{name: "a partial clone without blobs", want: committed(), build: func(w *world) { w.partial("blob:none") }},
		{name: "a partial clone without trees", want: committed(), build: func(w *world) { w.partial("tree:0") }},
		{name: "objects borrowed from another repository (alternates)", want: committed(), build: func(w *world) {
			w.git("clone", "-q", "--shared", ".", "../clone")
			w.root = w.other("clone")
		}},
		{name: "objects borrowed from one that borrows", want: committed(), build: func(w *world) {
			w.git("clone", "-q", "--shared", ".", "../clone")
			w.git("clone", "-q", "--shared", "../clone", "../clone2")
			w.root = w.other("clone2")
		}},
		{name: "packed refs", want: committed(), build: func(w *world) { w.git("pack-refs", "--all", "--prune") }},
		{name: "everything packed, with commit graph and multi-pack index", want: committed(), build: func(w *world) {
			w.git("gc", "-q", "--prune=now")
			w.git("commit-graph", "write", "--reachable", "--changed-paths")
			w.git("multi-pack-index", "write")
		}},
		{name: "a replaced commit (`refs/replace`)", want: committed(), build: func(w *world) {
			w.git("replace", "HEAD", w.git("commit-tree", "-m", "another", "HEAD^{tree}"))
		}},
		{name: "refs kept as a reftable", want: committed(), needs: func() string {
			if out, err := exec.Command("git", "-C", scratch, "init", "-q", "--ref-format=reftable", "probe-reftable").CombinedOutput(); err != nil {
				return "git knows no reftable: " + firstLine(string(out))
			}
			return ""
		}, init: []string{"--ref-format=reftable"}},
	}, append(indexes(), contents()...)...)
}

// other is a folder beside the first repository.
func (w *world) other(name string) string { return filepath.Join(w.dir, name) }

func (w *world) partial(filter string) {
	w.git("config", "uploadpack.allowFilter", "true")
	w.git("config", "uploadpack.allowAnySHA1InWant", "true")
	w.cloneTo(w.other("clone"), "--filter="+filter)
}

// indexes: forms of the index.
func indexes() []row {
	set := func(name, value string) func(w *world) {
		return func(w *world) { w.git("config", name, value) }
	}
	version := func(v string) func(w *world) {
		return func(w *world) { w.git("update-index", "--index-version", v) }
	}
	return []row{
		{name: "index version 2", want: committed(), build: version("2"), also: indexIs("version 3")},
		{name: "index version 4", want: committed(), build: version("4"), also: indexIs("version 4")},
		{name: "a split index", want: committed(), build: func(w *world) {
			set("core.splitIndex", "true")(w)
			w.git("update-index", "--split-index")
		}, also: indexIs("link")},
		{name: "an untracked cache", want: committed(), build: func(w *world) {
			set("core.untrackedCache", "true")(w)
			w.git("update-index", "--force-untracked-cache")
			w.git("status")
		}, also: indexIs("UNTR")},
		{name: "`feature.manyFiles`", want: committed(), build: func(w *world) {
			set("feature.manyFiles", "true")(w)
			w.git("update-index", "--index-version", "4")
			w.git("status")
		}, also: indexIs("version 4")},
		{name: "a file system monitor", want: committed(), build: func(w *world) {
			w.script(w.inGitDir("monitor"), "printf 'token\\0/\\0'\n")
			set("core.fsmonitor", w.inGitDir("monitor"))(w)
			w.git("update-index", "--fsmonitor")
			w.git("status")
		}, also: indexIs("FSMN")},
		{name: "a sparse checkout of folders (cone)", want: committed(), build: func(w *world) { w.sparse("set", "--cone", "in") }},
		{name: "a sparse index", want: committed(), build: func(w *world) {
			w.sparse("set", "--cone", "--sparse-index", "in")
		}, idle: true, also: indexIs("sdir"), ends: func(w *world) {
			w.write("in/a", "changed\n")
			w.person("commit", "-q", "-a", "-m", "inside")
		}},
		{name: "a sparse checkout by patterns", want: committed(), build: func(w *world) { w.sparse("set", "--no-cone", "/*", "!/out/") }},
		{name: "a sparse checkout that leaves the memory file out", want: refused(1, "no memory file"), does: "says so, and how it comes back (`git sparse-checkout add /memories.md`); automatic writes wait for it", build: func(w *world) {
			w.sparse("set", "--no-cone", "/*.txt", "/in/")
		}, other: map[string]want{"forget": refused(1, "no item has this key"), "undo": refused(1, "nothing-to-undo"), "recover": refused(1, "no memory file"), "auto": deferred("the memory file is not on disk")}},
	}
}

// sparse makes folders in and out, and keeps what the arguments of git
// sparse-checkout say.
func (w *world) sparse(args ...string) {
	w.write("in/a", "a\n")
	w.write("out/deep/a", "a\n")
	w.commitAll("folders")
	w.isSparse = true
	w.git(append([]string{"sparse-checkout"}, args...)...)
}

// indexIs checks that the index is still of the form that the row is about.
func indexIs(form string) func(w *world) {
	return func(w *world) {
		if s := w.look(); !strings.Contains(s.forms, form) {
			w.t.Errorf("the index is %q, want %q: the row is not what it says", s.forms, form)
		}
	}
}

// contents: git stores something else than what stands in the file.
func contents() []row {
	attribute := func(w *world, line string) { w.writeAt(w.inGitDir("info/attributes"), line+"\n") }
	// again has git write the file as the new settings want it.
	again := func(w *world) {
		w.remove(memory)
		w.git("checkout", "-q", "--", memory)
	}
	return []row{
		{name: "`core.autocrlf`", want: committed(), build: func(w *world) {
			w.git("config", "core.autocrlf", "true")
			again(w)
		}, also: func(w *world) {
			if !strings.Contains(w.read(memory), "\r\n") {
				w.t.Error("the file has no CRLF: the row is not what it says")
			}
		}},
		{name: "the attribute `eol=crlf`", want: committed(), build: func(w *world) { attribute(w, "*.md text eol=crlf"); again(w) }},
		{name: "the attribute `ident`", want: committed(), build: func(w *world) { attribute(w, "*.md ident"); again(w) }},
		{name: "a clean and smudge filter that keeps the text", want: committed(), build: func(w *world) {
			w.git("config", "filter.note.clean", "cat")
			w.git("config", "filter.note.smudge", "cat")
			attribute(w, "*.md filter=note")
		}},
		{name: "a filter that encrypts", want: committed(), build: func(w *world) {
			w.git("config", "filter.crypt.clean", "tr 'A-Za-z' 'N-ZA-Mn-za-m'")
			w.git("config", "filter.crypt.smudge", "tr 'A-Za-z' 'N-ZA-Mn-za-m'")
			w.git("config", "filter.crypt.required", "true")
			attribute(w, "*.md filter=crypt")
			w.git("add", "--renormalize", memory)
			w.git("commit", "-q", "-m", "encrypted")
		}, also: func(w *world) {
			if strings.Contains(w.git("show", "HEAD:"+memory), "saved_memory") {
				w.t.Error("what git keeps is not encrypted")
			}
		}},
		{name: "the attribute `working-tree-encoding=ISO-8859-1`", want: refused(1, "not a memory file"), does: "says that it is not a memory file: memory is UTF-8", build: func(w *world) {
			attribute(w, "*.md working-tree-encoding=ISO-8859-1")
			w.git("add", "--renormalize", memory)
			w.git("commit", "-q", "-m", "encoded")
		}, other: map[string]want{"undo": refused(1, "nothing-to-undo")}},
		{name: "the attribute `working-tree-encoding=UTF-16`", want: refused(1, "not a memory file"), does: "says that it is not a memory file: memory is UTF-8", build: func(w *world) {
			attribute(w, "*.md working-tree-encoding=UTF-16")
			again(w)
		}, other: map[string]want{"forget": refused(1, "no item has this key"), "undo": refused(1, "nothing-to-undo")}},
	}
}
