package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	manySkills = 1000
	// skillsTime is what the skills may add to a session's start.
	skillsTime = 2 * time.Millisecond
)

// skillWords are the words in the descriptions of the skills.
var skillWords = strings.Fields("deploy service staging database migrate test release report customer invoice parser cache index schema token login page chart export import backup restore queue worker")

// useSkills makes a repository with an everyday memory and many skills, whose cache is warm.
func (b *bench) useSkills() error {
	b.skilled = filepath.Join(b.dir, "skilled")
	if err := errors.Join(b.repository(b.skilled, everyday), b.writeFacts(b.skilled, everyday)); err != nil {
		return err
	}
	for i := range manySkills {
		name := fmt.Sprintf("skill-%04d", i)
		var said, body strings.Builder
		for w := range 20 {
			said.WriteString(" " + skillWords[(i*7+w*w+w*i)%len(skillWords)])
		}
		for line := range 60 {
			fmt.Fprintf(&body, "%d. Look at the %s, and then at the %s of the %s.\n", line+1, skillWords[(i+line)%len(skillWords)], skillWords[line%len(skillWords)], skillWords[i%len(skillWords)])
		}
		dir := filepath.Join(b.skilled, "skills", name)
		err := os.MkdirAll(dir, 0o755)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("---\nname: "+name+"\ndescription: How to"+said.String()+".\n---\n\n"+body.String()), 0o644)
		}
		if err != nil {
			return err
		}
	}
	time.Sleep(100 * time.Millisecond) // a file that has just changed is not cached
	for range 2 {
		out, err := b.command(b.skilled, b.memctl, "skills", "search", "deploy to staging").CombinedOutput()
		if err != nil || strings.Count(string(out), "skill-") != 5 {
			return fmt.Errorf("the search for skills: %w\n%s", err, out)
		}
	}
	for range 3 {
		if out, err := b.startHook(b.skilled).Output(); err != nil || !strings.Contains(string(out), "memctl skills search") {
			return fmt.Errorf("the session's start does not name the search for skills: %w\n%s", err, out)
		}
	}
	return nil
}

// skillCommands are the commands that are measured with many skills.
func (b *bench) skillCommands() []*measured {
	without := &measured{name: "`memctl hook`, a session's start without skills", before: b.warm(b.usual), start: func(int) *exec.Cmd { return b.startHook(b.usual) }}
	return []*measured{
		without,
		{name: fmt.Sprintf("`memctl hook`, a session's start, %d skills", manySkills), than: without, more: skillsTime, start: func(int) *exec.Cmd { return b.startHook(b.skilled) }},
		{name: fmt.Sprintf("`memctl skills search`, %d skills", manySkills), aim: 10, start: func(int) *exec.Cmd {
			return b.command(b.skilled, b.memctl, "skills", "search", "deploy to staging")
		}},
	}
}
