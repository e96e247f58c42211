package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tools are those that can be measured, in the order of the table.
func tools(o options) []tool {
	return []tool{memctl(o.memctl), claudeMD(), fts5(), deja(o.deja), engram(o.engram)}
}

// hookContext is what a hook of Claude Code hands to the model.
func hookContext(_ *box, out []byte) string {
	var answer struct {
		Hook struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if json.Unmarshal(out, &answer) != nil {
		return ""
	}
	return answer.Hook.Context
}

// sessionStart is what Claude Code tells a hook.
func sessionStart(b *box) string {
	return fmt.Sprintf(`{"hook_event_name":"SessionStart","source":"startup","session_id":"s%d","cwd":%q}`, b.n, b.repo)
}

func memctl(program string) tool {
	return tool{
		name: "memctl",
		build: func(b *box) (string, string, error) {
			program, err := filepath.Abs(program)
			if err != nil {
				return "", "", err
			}
			out, err := output(b.command("", "git", "-C", filepath.Dir(program), "rev-parse", "--short=8", "HEAD"))
			return program, strings.TrimSpace(string(out)), err
		},
		prepare: func(b *box) error { return run(b.command("", b.program, "setup", "--yes", "-q")) },
		fill: func(b *box, texts []string) error {
			var s strings.Builder
			enc := json.NewEncoder(&s)
			for _, text := range texts {
				if err := enc.Encode(map[string]string{"tier": "fact", "text": text}); err != nil {
					return err
				}
			}
			return run(b.command(s.String(), b.program, "import", "-", "--format", "jsonl", "--yes", "-q", "--scope", "project"))
		},
		start:   func(b *box) *exec.Cmd { return b.command(sessionStart(b), b.program, "hook", "--agent", "claude") },
		context: hookContext,
		store:   func(b *box, text string) *exec.Cmd { return b.command("", b.program, "remember", text) },
		search:  func(b *box, question string) *exec.Cmd { return b.command("", b.program, "recall", question) },
		remove:  func(b *box, text string) error { return run(b.command("", b.program, "forget", text)) },
	}
}

// claudeMD is a file that a person writes, with git and grep.
func claudeMD() tool {
	write := func(b *box, change func(text string) string) error {
		file := filepath.Join(b.repo, "CLAUDE.md")
		text, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return errors.Join(os.WriteFile(file, []byte(change(string(text))), 0o644), run(b.command("", "git", "add", "CLAUDE.md")))
	}
	commit := func(b *box) *exec.Cmd {
		return b.command("", "git", "commit", "-q", "-m", "memory", "--only", "CLAUDE.md")
	}
	add := func(b *box, texts ...string) error {
		return write(b, func(now string) string { return now + "- " + strings.Join(texts, "\n- ") + "\n" })
	}
	return tool{
		name: "CLAUDE.md, git and grep",
		build: func(b *box) (string, string, error) {
			out, err := output(b.command("", "git", "--version"))
			return "", strings.TrimSpace(string(out)), err
		},
		fill: func(b *box, texts []string) error { return errors.Join(add(b, texts...), run(commit(b))) },
		context: func(b *box, _ []byte) string {
			text, _ := os.ReadFile(filepath.Join(b.repo, "CLAUDE.md"))
			return string(text)
		},
		store: func(b *box, text string) *exec.Cmd {
			_ = add(b, text) // the commit fails where this did
			return commit(b)
		},
		search: func(b *box, question string) *exec.Cmd {
			args := []string{"-i", "-h"}
			for _, w := range strings.Fields(question) {
				args = append(args, "-e", w)
			}
			return b.command("", "grep", append(args, "CLAUDE.md")...)
		},
		remove: func(b *box, text string) error {
			return errors.Join(write(b, func(now string) string { return strings.ReplaceAll(now, "- "+text+"\n", "") }), run(commit(b)))
		},
	}
}

// fts5 is SQLite's full-text search with its Porter stemmer, by its shell. Any word of a question may match.
func fts5() tool {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	sql := func(b *box, statements string) *exec.Cmd {
		return b.command(statements, b.program, "-batch", filepath.Join(b.home, "memory.db"))
	}
	return tool{
		name: "SQLite FTS5",
		build: func(b *box) (string, string, error) {
			program, err := exec.LookPath("sqlite3")
			if err != nil {
				return "", "", err
			}
			out, err := output(b.command("", program, "--version"))
			version, _, _ := strings.Cut(string(out), " ")
			return program, version, err
		},
		prepare: func(b *box) error {
			return run(sql(b, "CREATE VIRTUAL TABLE f USING fts5(text, tokenize = 'porter');"))
		},
		fill: func(b *box, texts []string) error {
			var s strings.Builder
			s.WriteString("BEGIN;\n")
			for _, text := range texts {
				s.WriteString("INSERT INTO f VALUES (" + quote(text) + ");\n")
			}
			return run(sql(b, s.String()+"COMMIT;"))
		},
		start:   func(b *box) *exec.Cmd { return sql(b, "SELECT text FROM f ORDER BY rowid DESC LIMIT 40;") },
		context: func(_ *box, out []byte) string { return string(out) },
		store:   func(b *box, text string) *exec.Cmd { return sql(b, "INSERT INTO f VALUES ("+quote(text)+");") },
		search: func(b *box, question string) *exec.Cmd {
			words := strings.FieldsFunc(question, func(r rune) bool { return strings.ContainsRune(" ?,.'’\"()-", r) })
			return sql(b, `SELECT text FROM f WHERE f MATCH '"`+strings.Join(words, `" OR "`)+`"' ORDER BY rank LIMIT 5;`)
		},
		remove: func(b *box, text string) error { return run(sql(b, "DELETE FROM f WHERE text = "+quote(text)+";")) },
	}
}
