package cmd

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/transcript"
	"github.com/memctl/memctl/memory/acts/edit"
)

// importFiles reads the input: stdin, one file, or the files of a folder. Only regular files are read, and links that lead to one
// in the same project.
func (s *session) importFiles(name, format string) ([]capture.File, error) {
	most := capture.LimitOf(name, format)
	if name == "-" {
		data, err := s.streams.ReadAll(s.ctx, most+1)
		return []capture.File{{Name: "stdin", Data: data}}, err
	}
	at, info, err := s.followed(name)
	if fault.Find(err, "not-a-file") != nil {
		return nil, err
	}
	if err != nil {
		err = cannotRead(name, err)
		if e := fault.Find(err, "not-found"); e != nil {
			e.Hints = []string{"memctl import"} // lists what there is
		}
		return nil, err
	}
	if info.IsDir() {
		return s.importFolder(name, at)
	}
	data, err := safefile.ReadRegularFile(at, most)
	if err == nil && transcript.Detect(data) == transcript.Unsupported {
		err = errUnsupported
	}
	if err != nil {
		return nil, cannotRead(name, err)
	}
	return []capture.File{s.placed(name, at, filepath.ToSlash(name), data)}, nil
}

// followed is the file or folder that a name leads to. A link is followed within the project, or where there is none within its
// folder.
func (s *session) followed(name string) (at string, info fs.FileInfo, err error) {
	if info, err = os.Lstat(name); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return name, info, err
	}
	if at, err = filepath.EvalSymlinks(name); err != nil {
		return "", nil, err
	}
	inside := cmp.Or(s.stores.Root(), filepath.Dir(name))
	full, err := filepath.Abs(at)
	if _, ok := edit.RelativePath(inside, full); err != nil || !ok {
		e := fault.New("not-a-file", name, "is a link to "+inert(at)+", outside the project")
		e.Status, e.Hints = statusRefused, []string{"memctl import " + shell.Quote(at)}
		return "", nil, e
	}
	info, err = os.Stat(at)
	return at, info, err
}

// placed is a file with the folder that it is about and the scope that its place asks for. at is where a link leads.
func (s *session) placed(name, at, shown string, data []byte) capture.File {
	f := capture.File{Name: shown, Data: data}
	f.Folder, f.Scope = edit.PlaceOf(s.ctx, s.stores, name)
	if at != name && f.Scope == "" {
		_, f.Scope = edit.PlaceOf(s.ctx, s.stores, at)
	}
	if from := edit.SourceName(s.stores, name); store.IsInstruction(from) {
		f.From = from
	}
	return f
}

// importFolder reads the Markdown and JSON files of a folder, in the order of their names, and notes
// the others. Of an agent's memory, and of its rules, it reads the folders below, too.
func (s *session) importFolder(name, at string) (files []capture.File, err error) {
	root, err := os.OpenRoot(at)
	if err != nil {
		return nil, cannotRead(name, err)
	}
	defer root.Close()
	read, room, deep := 0, int64(capture.MaxInput), ofAgent(root, name)
	err = fs.WalkDir(root.FS(), ".", func(at string, e fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(e.Name(), ".")
		leave := func(why string) {
			if !hidden {
				files = append(files, capture.File{Name: at, Unread: why})
			}
		}
		switch {
		case err != nil || at == ".":
			return err
		case e.IsDir() && deep && !hidden && strings.Count(at, "/") < maxDepth:
			return nil
		case e.IsDir():
			leave("import reads the folders below only in an agent's folder, and there not all levels")
			return fs.SkipDir
		case !slices.Contains([]string{".md", ".mdc", ".json", ".jsonl"}, strings.ToLower(path.Ext(at))):
			leave("it is neither Markdown nor JSON")
			return nil
		case !e.Type().IsRegular() && e.Type()&fs.ModeSymlink == 0:
			leave("it is not a regular file")
			return nil
		}
		if read++; read > capture.MaxFiles {
			return errors.New("contains more files than one import can take")
		}
		full := filepath.Join(name, filepath.FromSlash(at))
		target, _, err := s.followed(full)
		if err != nil {
			files = append(files, capture.File{Name: at, Unread: cause(err)})
			return nil
		}
		data, err := safefile.ReadRegularFile(target, room)
		if err != nil {
			return cannotRead(full, err)
		}
		if room -= int64(len(data)); transcript.Detect(data) == transcript.Unsupported {
			files = append(files, capture.File{Name: at, Unread: errUnsupported.Error()})
			return nil
		}
		files = append(files, s.placed(full, target, at, data))
		return nil
	})
	if err == nil && read == 0 {
		err = errors.New("contains no file that can be imported")
	}
	if err != nil && fault.Find(err, "not-a-file") == nil && fault.Find(err, "not-found") == nil {
		err = cannotRead(name, err)
	}
	return files, err
}

// maxDepth is how many folders below an agent's folder are read: entries/CONVERSATION/turns/user of agent-cli.
const maxDepth = 4

// ofAgent reports whether a folder is the memory of an agent, or one of the folders that agents keep
// their files in.
func ofAgent(root *os.Root, name string) bool {
	for _, file := range []string{"MEMORY.md", "memory_index.json", "user_profile.json", "entries"} {
		if _, err := root.Lstat(file); err == nil {
			return true
		}
	}
	full, err := filepath.Abs(name)
	return err == nil && slices.ContainsFunc(strings.Split(filepath.ToSlash(full), "/"), func(part string) bool {
		return slices.Contains([]string{".claude", ".codex", ".qwen", ".cursor", ".github", ".chatcli"}, part)
	})
}

// errUnsupported says that a file is no memory, and that its person cannot be told from its other speakers.
var errUnsupported = errors.New(`is a conversation in a format that memctl does not read; give it JSON lines of {"role","content"}`)

// isTranscript reports whether a file is the transcript of a session. Only what the person said in it is captured.
func isTranscript(name string) bool {
	if strings.EqualFold(filepath.Ext(name), ".md") {
		return false // its records are an example
	}
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	n, _ := io.ReadFull(f, head)
	format := transcript.Detect(head[:n])
	return format != transcript.Unknown && format != transcript.Lines && format != transcript.Unsupported
}

// importNames are what there may be to import in a project, from its root.
func importNames() []string {
	return []string{
		"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".cursorrules", ".cursor/rules", ".claude/rules",
		".github/copilot-instructions.md", ".github/instructions", "QWEN.md", ".qwen/team-memory",
		"MEMORY.md", "memory_index.json", "memory.jsonl",
	}
}

// listImports names what there is to import here, a command a line, and
// changes nothing.
func (s *session) listImports() error {
	found := false
	for _, name := range append(importNames(), s.autoMemory()...) {
		at := name
		if !filepath.IsAbs(name) {
			at = filepath.Join(s.stores.Root(), filepath.FromSlash(name))
		}
		if info, err := os.Lstat(at); err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		found = true
		s.print(inert("memctl import "+shell.Quote(s.relative(at))) + "\n")
	}
	if !found {
		s.note("no-known-file", "import found no file with a known name here", "memctl import FILE")
	}
	return nil
}

// autoMemory is where agents keep memory of their own: Claude Code and Qwen Code of this project,
// Codex and ChatCLI of all projects.
func (s *session) autoMemory() []string {
	home := s.stores.Home()
	if home == "" || s.stores.Root() == "" {
		return nil
	}
	slug := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, s.stores.Root())
	return []string{
		filepath.Join(home, ".claude", "projects", slug, "memory"), filepath.Join(home, ".qwen", "projects", slug, "memory"), filepath.Join(home, ".qwen", "memories"),
		filepath.Join(home, ".codex", "memories"), filepath.Join(home, ".chatcli", "memory"),
	}
}

// relative is a path as a person would type it here.
func (s *session) relative(at string) string {
	dir, err := os.Getwd()
	if err != nil {
		return at
	}
	if rel, err := filepath.Rel(dir, at); err == nil && !strings.HasPrefix(rel, filepath.Join("..", "..")) {
		return rel
	}
	return at
}
