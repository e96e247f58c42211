package instructions

type mark struct {
	text   string
	points int
	kind   string
}

// activeMarkup is markup that runs, loads or speaks as somebody else.
var activeMarkup = []mark{
	{"<script", 10, "markup"},
	{"<iframe", 10, "markup"},
	{"<object", 8, "markup"},
	{"<embed", 10, "markup"},
	{"<svg", 7, "markup"},
	{"<img src=http", 10, "send"},
	{"<img src=\"http", 8, "send"},
	{"<img \"", 10, "markup"},
	{"<meta http-equiv", 10, "markup"},
	{"<link rel=\"stylesheet\" href=\"http", 8, "markup"},
	{"<base href", 8, "markup"},
	{"<form action", 8, "markup"},
	{"<style>@import", 10, "markup"},
	{"<|im_start|>", 10, "override"},
	{"<|im_end|>", 10, "override"},
	{"<|system|>", 10, "override"},
	{"<|user|>", 10, "override"},
	{"<|assistant|>", 10, "override"},
	{"<|endoftext|>", 10, "override"},
	{"<|eot_id|>", 10, "override"},
	{"<start_of_turn>", 10, "override"},
	{"<<sys>>", 10, "override"},
	{"[inst]", 10, "override"},
	{"[/inst]", 10, "override"},
	{"[system](", 10, "override"},
	{"[system]", 7, "override"},
	{"</system", 8, "override"},
	{"<system>", 8, "override"},
	{"<system-reminder", 10, "override"},
	{"<system_prompt", 8, "override"},
	{"<function_calls", 10, "command"},
	{"<tool_call", 10, "command"},
	{"<invoke ", 10, "command"},
	{"<|tool", 10, "command"},
	{"<|python_tag|>", 10, "command"},
	{"<|start_header_id|>", 10, "override"},
	{"[tool_calls]", 10, "command"},
	{"</user_query", 8, "override"},
	{"<!-- ignore", 10, "override"},
	{"<!-- ai", 8, "document"},
	{"<!-- to ai", 8, "document"},
	{"<!-- assistant", 8, "document"},
	{"<!-- llm", 8, "document"},
	{"<!-- system", 8, "document"},
	{"<!--sql", 8, "override"},
}

// looseSettings are the flags and settings with which agents ask for nothing, in
// small letters.
var looseSettings = []string{
	"--dangerously-skip-permissions", "--dangerously-bypass-approvals", "--yolo", "--trust-all-tools", "--allow-all-tools", "--full-auto",
	"danger-full-access", "bypasspermissions", "bash(*)", "approval_policy = \"never\"", "approval_policy=never", "approval_policy=\"never\"",
	"approval_policy never", "approval_policy to never", "approval_policy: never", "--ask-for-approval never", "autoapprove: true", "autoapprove\": true",
	"autoapprove=true", "auto_approve: true", "auto-approve: true", "yolo mode", "skipdangerousmodepermissionprompt",
}

// toolNames are what tools are called that run anything or write any file.
var toolNames = []string{"shell", "bash", "exec", "execute", "run_command", "terminal", "run_terminal_cmd", "execute_command", "write_file", "write", "python", "powershell", "cmd"}
