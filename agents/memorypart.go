package agents

import (
	"os"

	"github.com/memctl/memctl/capture"
	"github.com/memctl/memctl/internal/managed"
)

// MemoryTargets lists what `export --to` can write for: an agent, or the file AGENTS.md.
func MemoryTargets() []string { return []string{"claude", "codex", "agents-md"} }

// PlanMemory plans to write the part of memctl in the instruction file of a target, or to remove it.
// text returns the part for the rest of the file; "" removes it. Errors: ErrNoHome, ErrNoProject, ErrNotFor.
func PlanMemory(m Machine, to, scope string, text func(rest []byte) string) (Plan, error) {
	var path string
	var mode os.FileMode
	var err error
	switch to {
	case "claude":
		path, mode, err = place(m, scope, claude{}.Settings(m), []string{"CLAUDE.md"}, []string{"CLAUDE.md"})
	case "codex":
		path, mode, err = place(m, scope, codex{}.Settings(m), []string{"AGENTS.md"}, []string{"AGENTS.md"})
	default:
		path, mode, err = place(m, scope, "", nil, []string{"AGENTS.md"})
	}
	if err != nil {
		return Plan{}, err
	}
	file := File{Path: path, What: "memory", Mode: mode, Editor: memoryPart{text}}
	return planFiles([]File{file}, install)[0], nil
}

// memoryPart writes the part of an instruction file that has memory. The part of `hooks install` in
// such a file is another one: its text never changes.
type memoryPart struct{ of func(rest []byte) string }

func (memoryPart) text() managed.Text {
	return managed.Text{Begin: "<!-- memctl:begin memory ", Close: " -->", End: "<!-- memctl:end memory -->"}
}

func (e memoryPart) State(src []byte) (State, error) {
	there, err := e.text().Has(src)
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
	text := e.of(rest)
	if text != "" {
		src = capture.Unpointed(src) // the rules are in the file again
	}
	return e.text().Set(src, text)
}

func (e memoryPart) Remove(src []byte) ([]byte, error) { return e.text().Set(src, "") }
