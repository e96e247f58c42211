package transcript

import "strings"

// newCall reads the start of a call: its input has the command line, or the file that the
// tool writes. It ignores the input of any other tool.
func newCall(id, tool string, input []byte) *Call {
	call := &Call{ID: id, Tool: tool, Exit: -1}
	n := &node{raw: input}
	call.Command = commandLine(n.get("command|cmd"))
	if !writes(tool) {
		return call
	}
	if n.fits("command=view|str_replace|create|insert") {
		call.Command = "" // of an editing tool
	}
	if file := text(n.get("file_path|notebook_path|path|filePath")); file != "" && !n.fits("command=view") {
		call.Files = append(call.Files, file)
	}
	return call
}

// writes reports whether a tool of this name writes the file that its input names.
func writes(tool string) bool {
	switch strings.ToLower(tool) {
	case "write", "edit", "multiedit", "notebookedit", "write_file", "replace", "create", "patch", "str_replace_editor", "str_replace_based_edit_tool":
		return true
	}
	return false
}

// commandLine reads a command: a text, or a list of words. Of a shell that was started for
// it, only the line that it runs counts.
func commandLine(value []byte) string {
	if s := text(value); s != "" {
		return s
	}
	var words []string
	elements(value, func(word []byte) { words = append(words, text(word)) })
	if len(words) == 3 && strings.HasSuffix(words[0], "sh") && (words[1] == "-lc" || words[1] == "-c") {
		return words[2]
	}
	if n := len(words); n > 2 && (strings.EqualFold(words[n-2], "-Command") || strings.EqualFold(words[n-2], "/c")) { // of PowerShell and cmd
		return words[n-1]
	}
	return strings.Join(words, " ")
}

// end sets how the call ended: by its exit status, or where none is recorded by what the
// client says.
func (c *Call) end(exit []byte, passed bool) {
	if n, ok := number(exit); ok {
		c.Exit, passed = n, n == 0
	}
	c.Status = Failed
	if passed {
		c.Status = Passed
	}
}

// changed reads the files of a change: a list of objects with a path, or an object whose
// members are the paths.
func changed(changes []byte) []string {
	var files []string
	elements(changes, func(change []byte) { files = append(files, text(at(change, "path"))) })
	if len(changes) > 0 && changes[0] == '{' {
		members(changes, func(key, _ []byte) { files = append(files, text([]byte(`"`+string(key)+`"`))) })
	}
	return files
}

// patched lists the files of a patch in the form that Codex' apply_patch takes.
func patched(patch string) []string {
	var files []string
	if !strings.Contains(patch, "*** Begin Patch") {
		return nil
	}
	for line := range strings.SplitSeq(patch, "\n") {
		for _, head := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: "} {
			if file, ok := strings.CutPrefix(line, head); ok {
				files = append(files, strings.TrimSpace(file))
			}
		}
	}
	return files
}

// harnessTag reports whether the text begins with a mark that only a harness writes.
func harnessTag(s string) bool {
	s = strings.TrimLeft(s, " \t\r\n")
	if !strings.HasPrefix(s, "<") {
		return false
	}
	name, _, ok := strings.Cut(s[1:], ">")
	if !ok || len(name) > 200 {
		return false
	}
	name, _, _ = strings.Cut(name, " ")
	switch name {
	case "command-name", "command-message", "command-args", "command-contents", "system-reminder", "system_reminder", "environment_context",
		"user_instructions", "permissions", "turn_aborted", "session_context", "hook_context", "task-notification", "teammate-message",
		"bash-input", "bash-stdout", "bash-stderr", "user-prompt-submit-hook", "subagent_notification", "skill", "skills_instructions",
		"collaboration_mode", "user_shell_command", "ide_opened_file", "ide_selection", "current_datetime", "INSTRUCTIONS", "post-tool-use-hook":
		return true
	}
	return strings.HasPrefix(name, "local-command-")
}
