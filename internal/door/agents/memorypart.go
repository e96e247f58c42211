package agents

import (
	"github.com/memctl/memctl/internal/capture"
	"github.com/memctl/memctl/internal/managed"
)

// MemoryTargets lists what `export --to` can write: the instruction file of Claude Code, or AGENTS.md.
func MemoryTargets() []string { return []string{"claude", "agents-md"} }

// PlanMemory plans to write the part of memctl in the instruction file of a project, or to remove it. text returns the part for
// the rest of the file; "" removes it. size is how many bytes a part adds to the file. Errors: ErrNoProject.
func PlanMemory(m Machine, to string, text func(rest []byte, size func(part string) int) string) (Plan, error) {
	name := "AGENTS.md"
	if to == "claude" {
		name = "CLAUDE.md"
	}
	path, mode, err := place(m, ForProject, "", nil, []string{name})
	if err != nil {
		return Plan{}, err
	}
	file := File{Path: path, What: "memory", Mode: mode, Editor: memoryPart{text}}
	return planFiles(m.Root, []File{file}, install)[0], nil
}

// memoryPart writes the part of an instruction file that has memory. The part of `hooks install` in
// such a file is another one: its text never changes.
type memoryPart struct {
	of func(rest []byte, size func(part string) int) string
}

func (memoryPart) State(src []byte) (State, error) {
	there, err := managed.Memory().Has(src)
	switch {
	case err != nil:
		return "", err
	case !there:
		return Absent, nil
	}
	return Installed, nil
}

func (e memoryPart) Install(src []byte) ([]byte, error) {
	rest, err := e.Remove(src)
	if err != nil {
		return nil, err
	}
	text := e.of(rest, func(part string) int {
		whole, _ := managed.Memory().Set(rest, part)
		return len(whole) - len(rest)
	})
	if text != "" {
		src = capture.Unpointed(src) // the rules are in the file again
	}
	return managed.Memory().Set(src, text)
}

func (memoryPart) Remove(src []byte) ([]byte, error) { return managed.Memory().Set(src, "") }
