package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// built builds a program from a folder of source. The version is that of its newest tag, where git knows one.
func built(b *box, source, what string) (program, version string, err error) {
	if source == "" {
		return "", "", errors.New("no folder with its source is named")
	}
	program = filepath.Join(b.home, filepath.Base(what))
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, what)
	build.Dir, build.Env = source, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if out, err := build.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	describe := exec.Command("git", "-C", source, "describe", "--tags", "--always")
	out, err := describe.Output()
	if version = strings.TrimSpace(string(out)); err != nil {
		version = filepath.Base(source)
	}
	return program, version, nil
}

// deja searches past sessions, so each text is what a person said in a session of Claude Code.
func deja(source string) tool {
	session := func(b *box, i int, text string) error {
		folder := filepath.Join(b.home, ".claude", "projects", strings.NewReplacer("/", "-", ".", "-").Replace(b.repo))
		at := time.Now().Add(-time.Duration(i+1) * time.Minute).UTC().Format(time.RFC3339)
		id := fmt.Sprintf("00000000-0000-4000-8000-%012d", i)
		var s strings.Builder
		enc := json.NewEncoder(&s)
		for _, l := range []map[string]any{
			{"type": "user", "sessionId": id, "cwd": b.repo, "timestamp": at, "uuid": id, "message": map[string]any{"role": "user", "content": text}},
		} {
			if err := enc.Encode(l); err != nil {
				return err
			}
		}
		return errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, id+".jsonl"), []byte(s.String()), 0o644))
	}
	return tool{
		name:  "deja-vu",
		build: func(b *box) (string, string, error) { return built(b, source, "./cmd/deja") },
		fill: func(b *box, texts []string) error {
			for i, text := range texts {
				if err := session(b, i, text); err != nil {
					return err
				}
			}
			return run(b.command("", b.program, "index"))
		},
		start:   func(b *box) *exec.Cmd { return b.command(sessionStart(b), b.program, "hook-context") },
		context: hookContext,
		store: func(b *box, text string) *exec.Cmd {
			return b.command("", b.program, "remember", text, "--project", "shop")
		},
		search: func(b *box, question string) *exec.Cmd {
			return b.command("", b.program, "search", "--json", "--limit", "5", question)
		},
		remove: func(b *box, _ string) error {
			return run(b.command("", b.program, "forget", "--session", "deja-", "--all-matches"))
		},
	}
}

// engram is measured by its command line, its MCP server for a deletion, and the script of its plugin for a start.
func engram(source string) tool {
	return tool{
		name:  "engram",
		build: func(b *box) (string, string, error) { return built(b, source, "./cmd/engram") },
		serve: func(b *box) *exec.Cmd { return b.command("", b.program, "serve", "17437") },
		fill: func(b *box, texts []string) error {
			type observation struct {
				ID        int    `json:"id"`
				SessionID string `json:"session_id"`
				Type      string `json:"type"`
				Title     string `json:"title"`
				Content   string `json:"content"`
				Project   string `json:"project"`
				Scope     string `json:"scope"`
				CreatedAt string `json:"created_at"`
				UpdatedAt string `json:"updated_at"`
			}
			const at = "2026-11-21 09:00:00"
			export := map[string]any{
				"version": "0.1.0", "exported_at": at, "prompts": []any{},
				"sessions": []any{map[string]string{"id": "s", "project": "shop", "directory": b.repo, "started_at": at}},
			}
			var list []observation
			for i, text := range texts {
				list = append(list, observation{i + 1, "s", "manual", text, text, "shop", "project", at, at})
			}
			export["observations"] = list
			data, err := json.Marshal(export)
			file := filepath.Join(b.home, "export.json")
			if err := errors.Join(err, os.WriteFile(file, data, 0o644), run(b.command("", b.program, "import", file))); err != nil {
				return err
			}
			return os.Remove(file)
		},
		start: func(b *box) *exec.Cmd {
			return b.command(sessionStart(b), "bash", filepath.Join(source, "plugin", "claude-code", "scripts", "session-start.sh"))
		},
		context: func(_ *box, out []byte) string { return string(out) },
		store: func(b *box, text string) *exec.Cmd {
			return b.command("", b.program, "save", text, text, "--project", "shop")
		},
		search: func(b *box, question string) *exec.Cmd {
			return b.command("", b.program, "search", question, "--project", "shop", "--limit", "5")
		},
		remove: func(b *box, _ string) error {
			var in strings.Builder
			for _, line := range []string{
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"compare","version":"1"}}}`,
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mem_delete","arguments":{"id":1,"hard_delete":true}}}`,
			} {
				in.WriteString(line + "\n")
			}
			out, err := output(b.command(in.String(), b.program, "mcp"))
			if err == nil && !strings.Contains(string(out), "permanently deleted") {
				err = fmt.Errorf("mem_delete answers %q", out)
			}
			return err
		},
	}
}
