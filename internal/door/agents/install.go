package agents

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/memctl/memctl/internal/safefile"
)

// maxSettings bounds a settings file, in bytes.
const maxSettings = 4 << 20

// maxLinks bounds the symbolic links that are followed to a settings file.
const maxLinks = 40

// Plan is what would be done to one file.
type Plan struct {
	Agent *Agent // nil for the part of an instruction file with memory
	File  File
	Look  // before
	// Left are values that name memctl, and that a plan to remove leaves, because memctl did not write them.
	Left   []string
	Before []byte // nil: there is no file
	After  []byte // nil: there is none, or it is removed
	Err    error  // why the file is left alone

	target string // where the bytes are: the file, or what it links to
}

// Changes reports whether carrying out the plan changes anything.
func (p Plan) Changes() bool {
	return p.Err == nil && ((p.Before == nil) != (p.After == nil) || string(p.Before) != string(p.After))
}

// PlanLook reads the agent's files and changes nothing. Errors: those of Files; a
// file's own fault stands in its plan.
func PlanLook(m Machine, a *Agent, scope string) ([]Plan, error) {
	files, err := a.Files(m, scope)
	return planFiles(m.boundaryFolder(scope), nil, a, files, look), err
}

// PlanInstall says what an installation would change without a question to the person. earlier are the plans that are carried
// out before: two names may lead to one file. Errors as with PlanLook.
func PlanInstall(m Machine, a *Agent, scope string, earlier []Plan) ([]Plan, error) {
	files, err := a.Files(m, scope)
	files = slices.DeleteFunc(files, func(f File) bool { return f.Offer != "" })
	return planFiles(m.boundaryFolder(scope), earlier, a, files, install), err
}

// PlanInstallAll plans the files of PlanInstall and the files that have an Offer. Errors as
// with PlanLook.
func PlanInstallAll(m Machine, a *Agent, scope string, earlier []Plan) ([]Plan, error) {
	files, err := a.Files(m, scope)
	return planFiles(m.boundaryFolder(scope), earlier, a, files, install), err
}

// PlanRemove says what taking it out again would change, the last addition
// first. Errors as with PlanLook.
func PlanRemove(m Machine, a *Agent, scope string, earlier []Plan) ([]Plan, error) {
	files, err := a.Files(m, scope)
	slices.Reverse(files)
	return planFiles(m.boundaryFolder(scope), earlier, a, files, remove), err
}

func look(*Plan) error { return nil }

func install(p *Plan) (err error) {
	p.After, err = p.File.Editor.Install(p.Before)
	return err
}

func remove(p *Plan) (err error) {
	if p.After, err = p.File.Editor.Remove(p.Before); err == nil {
		l, _ := p.File.Editor.Look(p.After)
		p.Left = l.Others
	}
	return err
}

// boundaryFolder is the folder that no file of the scope may leave through a link; "" for none. A clone can have such links.
func (m Machine) boundaryFolder(scope string) string {
	if scope == ForProject {
		return m.Root
	}
	return ""
}

// planFiles plans each file, none outside a folder; "" for any. Of several plans for one file, each continues where the one before
// ends.
func planFiles(within string, earlier []Plan, a *Agent, files []File, change func(*Plan) error) []Plan {
	var list []Plan
	for _, file := range files {
		p := Plan{Agent: a, File: file}
		if p.Err = p.read(within); p.Err == nil {
			for _, before := range slices.Concat(earlier, list) {
				if before.target == p.target && before.Err == nil {
					p.Before = before.After
				}
			}
			if p.Look, p.Err = file.Editor.Look(p.Before); p.Err == nil {
				p.After = p.Before
				p.Err = change(&p)
			}
		}
		if p.Err != nil {
			p.After = p.Before
			p.Err = fmt.Errorf("%q: %w", file.Path, bare(p.Err))
		}
		list = append(list, p)
	}
	return list
}

// bare takes the path out of the system's errors: it is named once, in front.
func bare(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// read finds the file behind the links and reads it. A file that a link takes out of the folder is left alone.
func (p *Plan) read(within string) error {
	target, err := follow(p.File.Path)
	if err != nil {
		return err
	}
	if p.target = target; within != "" && !isBelow(within, target) {
		return fmt.Errorf("%w, to %q", ErrOutside, target)
	}
	root, err := os.OpenRoot(filepath.Dir(target))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	data, _, err := safefile.Read(root, filepath.Base(target), maxSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && data == nil {
		data = []byte{}
	}
	p.Before = data
	return err
}

var errLinks = errors.New("its symbolic links form a loop")

// ErrOutside says that a project's file is left alone, because it is not in the project.
var ErrOutside = errors.New("a symbolic link leads out of the project")

// follow is where a file's bytes are. Programs that manage a person's settings
// put links where the settings belong: the target is edited, the link stays.
func follow(path string) (string, error) {
	for range maxLinks {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", errLinks
}

// isBelow reports whether a file is below a folder, behind all links. A folder that is not there yet counts as its parent does.
func isBelow(folder, file string) bool {
	rel, err := filepath.Rel(behindLinks(folder), behindLinks(file))
	return err == nil && filepath.IsLocal(rel)
}

func behindLinks(path string) string {
	for rest := ""; ; path, rest = filepath.Dir(path), filepath.Join(filepath.Base(path), rest) {
		if found, err := filepath.EvalSymlinks(path); err == nil || filepath.Dir(path) == path {
			return filepath.Join(found, rest)
		}
	}
}

// Apply writes or removes the file. It fails if the file has changed since memctl read it.
// Errors: fault.ChangedOnDisk, or the system's cause with the name in front.
func (p Plan) Apply() error {
	if !p.Changes() {
		return p.Err
	}
	dir, name := filepath.Split(p.target)
	if p.After != nil {
		mode := os.FileMode(0o755)
		if p.File.Mode == settingsMode {
			mode = 0o700
		}
		if err := os.MkdirAll(dir, mode); err != nil {
			return fmt.Errorf("%q: %w", p.File.Path, bare(err))
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("%q: %w", p.File.Path, bare(err))
	}
	defer root.Close()
	if p.After != nil {
		return safefile.WriteIf(root, name, p.Before, p.After, p.File.Mode)
	}
	now, _, err := safefile.Read(root, name, maxSettings)
	if err != nil {
		return err
	}
	if string(now) != string(p.Before) {
		return safefile.Changed(name)
	}
	return root.Remove(name)
}
