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

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/safefile"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/transcript"
)

// importFiles reads the input: stdin, one file, or the files of a folder. Only
// regular files are read, never through a link.
func (s *session) importFiles(name, format string) ([]capture.File, error) {
	most := capture.LimitOf(name, format)
	if name == "-" {
		data, err := s.streams.ReadAll(s.ctx, most+1)
		return []capture.File{{Name: "stdin", Data: data}}, err
	}
	info, err := os.Lstat(name)
	if err != nil {
		err = cannotRead(name, err)
		if e := fault.Find(err, "not-found"); e != nil {
			e.Hints = []string{"memctl import"} // lists what there is
		}
		return nil, err
	}
	if info.IsDir() {
		return importFolder(name)
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, cannotRead(name, err)
	}
	defer root.Close()
	data, _, err := safefile.Read(root, filepath.Base(name), most)
	if err == nil && transcript.Detect(data) == transcript.Unsupported {
		err = errUnsupported
	}
	if err != nil {
		return nil, cannotRead(name, err)
	}
	return []capture.File{{Name: filepath.ToSlash(name), Data: data}}, nil
}

// maxInclude is how deep files that include others are followed.
const maxInclude = 5

// withIncluded adds to an instruction file the Markdown files that it includes, each once, and returns the
// format in which all are read. It follows them only within the project and the folder of an agent.
func (s *session) withIncluded(name, format string, files []capture.File) (string, []capture.File, error) {
	if len(files) != 1 || name == "-" || format == "" && !aboutProject(capture.Detect(name, files[0].Data)) {
		return format, files, nil
	}
	as := cmp.Or(format, capture.Detect(name, files[0].Data))
	if as == capture.Markdown || !aboutProject(as) {
		return format, files, nil
	}
	seen := map[string]bool{}
	start, end := 0, 1
	for range maxInclude {
		for _, f := range files[start:end] {
			full, err := filepath.Abs(f.Name)
			if err != nil {
				return as, files, err
			}
			seen[full] = true
			for _, include := range capture.Included(f.Data) {
				at := s.included(filepath.Dir(full), include)
				if at == "" || seen[at] {
					continue
				}
				seen[at] = true
				data, why := s.readIncluded(at)
				if why != "" {
					s.note("include-unread", named(inert(include), "memctl does not read it, because "+why))
				} else if data != nil {
					files = append(files, capture.File{Name: filepath.ToSlash(s.relative(at)), Data: data})
				}
			}
		}
		start, end = end, len(files)
	}
	return as, files, nil
}

// included is the path of an included file.
func (s *session) included(dir, include string) string {
	if rest, ok := strings.CutPrefix(include, "~/"); ok {
		if s.getenv("HOME") == "" {
			return ""
		}
		return filepath.Join(s.getenv("HOME"), filepath.FromSlash(rest))
	}
	if filepath.IsAbs(include) {
		return filepath.Clean(include)
	}
	return filepath.Join(dir, filepath.FromSlash(include))
}

// readIncluded reads an included file, or says why not. A file that is not there is nil: the text may only look like a path.
func (s *session) readIncluded(at string) (data []byte, why string) {
	if info, err := os.Lstat(at); err != nil || !info.Mode().IsRegular() {
		return nil, ""
	}
	folders := []string{s.stores.Root()}
	for _, name := range []string{".claude", ".codex", ".gemini", ".qwen"} {
		folders = append(folders, filepath.Join(s.getenv("HOME"), name))
	}
	for _, folder := range folders {
		rel, err := filepath.Rel(folder, at)
		if folder == "" || err != nil || !filepath.IsLocal(rel) {
			continue
		}
		root, err := os.OpenRoot(folder)
		if err != nil {
			continue
		}
		defer root.Close()
		if data, _, err = safefile.Read(root, rel, capture.MaxInput); err != nil {
			return nil, cause(err)
		}
		return data, ""
	}
	return nil, "it is outside the project and the folders of agents"
}

// importFolder reads the Markdown and JSON files of a folder, in the order of their names, and notes
// the others. Of an agent's memory, and of its rules, it reads the folders below, too.
func importFolder(name string) ([]capture.File, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, cannotRead(name, err)
	}
	defer root.Close()
	var files []capture.File
	read, left, deep := 0, int64(capture.MaxInput), ofAgent(root, name)
	err = fs.WalkDir(root.FS(), ".", func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || at == ".":
			return err
		case e.IsDir() && (!deep || strings.HasPrefix(e.Name(), ".") || strings.Count(at, "/") >= maxDepth):
			if !strings.HasPrefix(e.Name(), ".") {
				why := "import reads the folders below only in an agent's folder"
				if deep {
					why = "folders this deep are not read"
				}
				files = append(files, capture.File{Name: at, Unread: why})
			}
			return fs.SkipDir
		case e.IsDir():
			return nil
		}
		if why := whyUnread(e); why != "" {
			if !strings.HasPrefix(e.Name(), ".") {
				files = append(files, capture.File{Name: at, Unread: why})
			}
			return nil
		}
		if read++; read > capture.MaxFiles {
			return errors.New("contains more files than one import can take")
		}
		data, _, err := safefile.Read(root, filepath.FromSlash(at), left)
		if err != nil {
			return cannotRead(filepath.Join(name, at), err)
		}
		left -= int64(len(data))
		if transcript.Detect(data) == transcript.Unsupported {
			files = append(files, capture.File{Name: at, Unread: errUnsupported.Error()})
			return nil
		}
		files = append(files, capture.File{Name: at, Data: data})
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

// whyUnread says why a file of a folder is not read, "" where it is.
func whyUnread(e fs.DirEntry) string {
	switch strings.ToLower(path.Ext(e.Name())) {
	case ".md", ".mdc", ".json", ".jsonl":
	default:
		return "it is neither Markdown nor JSON"
	}
	if !e.Type().IsRegular() {
		return "it is not a regular file"
	}
	return ""
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
	home := s.getenv("HOME")
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
