package project

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// seedsRow is a row of tests/project/seeds.md: its number, the verdict and the last column.
var seedsRow = regexp.MustCompile("(?m)^\\| ([0-9]+) \\|.*\\| (works|differs|part|no)(?:: [^|]*)? \\| (?:`(memctl [^|`]*)`)? ?\\|$")

// seedsStore is the store in which the commands of tests/project/seeds.md are run.
const seedsStore = `
git config --global user.name 'Ada Lovelace'; git config --global user.email ada@example.com; git init -q -b main
memctl init -q
memctl add -q deploy.staging 'deploy to staging with make deploy'
memctl remember -q '[gotcha] The deploy to staging fails without a token.'
memctl remember -q 'The lamp oil is in the cellar.'
memctl note -q 'Deployed to staging twice.'
mkdir -p skills/deploy more/lint
printf -- '---\nname: deploy\ndescription: Deploy the service to staging.\n---\nRun {baseDir}/run.sh\n' > skills/deploy/SKILL.md
printf -- '---\nname: lint\ndescription: Check the form.\n---\nRun make lint.\n' > more/lint/SKILL.md
printf 'Answer in rhyme.\n' > text
printf -- '- The parser is hand written.\n- The cache is in memory.\n' > MEMORY.md
printf 'Never push.\n' > RULES.md
git add . && git commit -q -m files
memctl remember -q --topic http 'Retries are in client.go.'
memctl user -q company=Lovelace
mkdir "$HOME/context" && printf 'You are a heron.\n' > "$HOME/context/SOUL.md"
memctl context init -q --agent reviewer --type predefined
cat > "$HOME/model" <<'END'
case $(cat) in
*'<file'*) for name in SOUL IDENTITY AGENTS TOOLS HEARTBEAT; do printf '<file name="%s.md">Be sharp.</file>\n' $name; done ;;
*'ok set'*) echo '{"ok": true}' ;;
*) echo '{"text": "Deploy to staging with make deploy.", "pairs": [], "merges": []}' ;;
esac
END
git config --global memctl-llm.local.kind command
git config --global memctl-llm.local.command "sh '$HOME/model'"
git config --global memctl.llm.chain local
`

// seedsWords are what the words in capital letters in tests/project/seeds.md stand for.
var seedsWords = strings.NewReplacer("QUERY", "deploy staging", "TEXT", "'lamp oil'", "NAME", "deploy", "SOURCE", "more", "DIR", `"$HOME/context"`, "FILE", "text", "WORDS", "reviewer")

// seedsAnswers are parts of the answers of the commands. Every other command has an answer too.
var seedsAnswers = map[string]string{
	"memctl context list":                                    "RULES.md",
	"memctl recall QUERY":                                    "deploy to staging with make deploy",
	"memctl recall --hyde QUERY":                             "make deploy",
	"memctl list --tier fact gotcha":                         "fails without a token",
	"memctl stats":                                           "gotcha 1",
	"memctl user":                                            "Lovelace",
	"memctl list --topics":                                   "http",
	"memctl bootstrap --mode full":                           "make deploy",
	"memctl bootstrap":                                       "<name>deploy</name>",
	"memctl doctor --models":                                 " answered (",
	"memctl import MEMORY.md":                                "2 added",
	"memctl list --tier note week":                           "Deployed to staging twice",
	"memctl list --files":                                    "memories.md",
	"memctl forget --all TEXT":                               "lamp oil",
	"memctl mcp":                                             `"tools"`,
	"memctl proxy":                                           "serving http://",
	"memctl prompt":                                          "<context_file",
	"memctl prompt --json":                                   `"stable":true`,
	"memctl prompt --minimal":                                "AGENTS.md",
	"memctl prompt --extra FILE":                             "<extra_context>",
	"memctl prompt --as A":                                   "You are A",
	"memctl bootstrap --mode off --context":                  "You are a heron",
	"memctl bootstrap --agent claude --context":              "You are a heron",
	"memctl bootstrap --notes 2026-11-21":                    "Deployed to staging twice",
	"memctl context done":                                    "The first run is over",
	"memctl context agents WORDS":                            "reviewer",
	"memctl context list --agent A":                          "user copy",
	`memctl context summon crab "a sarcastic Rust reviewer"`: "SOUL.md",
	"memctl skills list":                                     "deploy",
	"memctl skills show NAME":                                "/skills/deploy/run.sh",
	"memctl skills search QUERY":                             "deploy",
	"memctl skills add SOURCE":                               "added the skill lint",
	"memctl show":                                            "deploy.staging",
}

// TestCommandsOfTheSeeds runs the command of each row of tests/project/seeds.md, one after the other in
// one store.
func TestCommandsOfTheSeeds(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds memctl and runs it in a POSIX shell")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bin, project := programs, filepath.Join(dir, "ada", "project")
	if err := os.MkdirAll(project, 0o755); err != nil {
		t.Fatal(err)
	}
	prepared := func(command string) *exec.Cmd {
		shell := exec.Command("sh", "-ec", command)
		shell.Dir, shell.Env = project, append(environment(bin, filepath.Join(dir, "ada")), "GIT_EDITOR=true")
		return shell
	}
	run := func(command string) (string, error) {
		shell := prepared(command)
		switch command {
		case "memctl proxy":
			return firstLine(prepared("exec memctl proxy --listen 127.0.0.1:0"))
		case "memctl mcp":
			shell.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n")
		}
		out, err := shell.CombinedOutput()
		return string(out), err
	}
	if out, err := run(seedsStore); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rows := seedsRow.FindAllStringSubmatch(readPage(t, "tests/project/seeds.md"), -1)
	if len(rows) != 45+37 {
		t.Fatalf("%d rows, not 82", len(rows))
	}
	used := map[string]bool{}
	for _, row := range rows {
		if row[3] == "" {
			if row[2] != "no" {
				t.Errorf("row %s says %q and has no command", row[1], row[2])
			}
			continue
		}
		command := seedsWords.Replace(row[3])
		switch row[3] { // they ask
		case "memctl forget --all TEXT", "memctl skills add SOURCE":
			command += " --yes"
		}
		out, err := run(command)
		silent := row[3] == "memctl compact --if-due" // it runs from cron
		if err != nil || out == "" && !silent || !strings.Contains(out, seedsAnswers[row[3]]) {
			t.Errorf("row %s: $ %s\n%v; want %q in\n%s", row[1], command, err, seedsAnswers[row[3]], out)
		}
		used[row[3]] = true
	}
	for command := range seedsAnswers {
		if !used[command] {
			t.Errorf("no row has the command %s", command)
		}
	}
}

// firstLine starts a server, and ends it after the first line that it prints.
func firstLine(server *exec.Cmd) (string, error) {
	out, err := server.StderrPipe()
	if err != nil {
		return "", err
	}
	if err := server.Start(); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_ = server.Process.Kill()
	_ = server.Wait()
	return line, err
}
