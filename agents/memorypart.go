package agents

import (
	"os"

	"github.com/memctl/memctl/internal/managed"
)

// MemoryTargets lists what `export --to` can write for: an agent, or the file AGENTS.md.
func MemoryTargets() []string { return []string{"claude", "codex", "agents-md"} }

// memoryFile is the instruction file of a target: the person's own, or the project's.
func memoryFile(m Machine, to, scope string) (path string, mode os.FileMode, err error) {
	switch to {
	case "claude":
		return place(m, scope, claude{}.Settings(m), []string{"CLAUDE.md"}, []string{"CLAUDE.md"})
	case "codex":
		return place(m, scope, codex{}.Settings(m), []string{"AGENTS.md"}, []string{"AGENTS.md"})
	}
	return place(m, scope, "", nil, []string{"AGENTS.md"})
}

// PlanMemory plans to make text the part of memctl in the instruction file of a target, or with ""
// to take the part out. Errors: ErrNoHome, ErrNoProject, ErrNotFor.
func PlanMemory(m Machine, to, scope, text string) (Plan, error) {
	path, mode, err := memoryFile(m, to, scope)
	if err != nil {
		return Plan{}, err
	}
	file := File{Path: path, What: "memory", Mode: mode, Editor: memoryPart(text)}
	return planFiles([]File{file}, install)[0], nil
}

// memoryPart is the text of the part that holds memory in an instruction file. The part of
// `hooks install` in such a file is another one: its text never changes.
type memoryPart string

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

func (e memoryPart) Install(src []byte) ([]byte, error) { return e.text().Set(src, string(e)) }
func (e memoryPart) Remove(src []byte) ([]byte, error)  { return e.text().Set(src, "") }
