package session

import (
	"slices"
	"strings"
	"testing"
)

// texts are the words of the commands with a space between them.
func texts(commands []Command) (list []string) {
	for _, command := range commands {
		list = append(list, strings.Join(command, " "))
	}
	return list
}

func TestCommandsSplitsACommandLine(t *testing.T) {
	for name, tt := range map[string]struct {
		line string
		want []string
	}{
		"one command":                       {"git push origin main", []string{"git push origin main"}},
		"more spaces count as one":          {"  git \t push  ", []string{"git push"}},
		"and, or, semicolon, pipe":          {"make && git push || echo no; ls | wc -l", []string{"make", "git push", "echo no", "ls", "wc -l"}},
		"in the background":                 {"make & git push", []string{"make", "git push"}},
		"lines":                             {"make\ngit push\r\n", []string{"make", "git push"}},
		"a line that goes on":               {"git \\\n  push", []string{"git push"}},
		"a sign in quotes is text":          {`echo "a && git push" 'b; git push'`, []string{"echo a && git push b; git push"}},
		"a quote in quotes":                 {`echo "say \"git push\"" && ls`, []string{`echo say "git push"`, "ls"}},
		"an escaped sign is text":           {`echo a\;git push`, []string{"echo a;git push"}},
		"quotes within a word":              {`git pu"sh" 'or'igin`, []string{"git push origin"}},
		"an empty word":                     {`git commit -m ""`, []string{"git commit -m "}},
		"assignments before a command":      {"A=1 B='x y' git push C=3", []string{"git push C=3"}},
		"assignments alone":                 {"A=1; B=2", nil},
		"the folder of git":                 {"git -C web push", []string{"git -C web push"}},
		"the folder of a program":           {"/usr/bin/git push", []string{"git push"}},
		"sudo and env":                      {"sudo -u ada -E env -i A=1 git push", []string{"git push"}},
		"a time limit":                      {"timeout -k 5 20 git push && gtimeout --signal KILL 5 git pull", []string{"git push", "git pull"}},
		"other output buffers":              {"stdbuf -o0 -e L git push", []string{"git push"}},
		"past the end of the terminal":      {"nohup git push & setsid git pull", []string{"git push", "git pull"}},
		"arguments from a file":             {"echo x | xargs -0 -n 1 -I{} git push {}", []string{"echo x", "git push {}"}},
		"arguments for a script":            {"xargs sh -c 'git push'", []string{"sh -c git push", "git push"}},
		"again and again":                   {"watch -n 5 'make && git push'", []string{"watch -n 5 make && git push", "make", "git push"}},
		"a text as a command":               {`eval "git push" -f`, []string{"eval git push -f", "git push -f"}},
		"a time limit without a command":    {"timeout 20; timeout", nil},
		"on another machine":                {"ssh -p 22 host 'cd web; git push'; ssh host", []string{"ssh -p 22 host cd web; git push", "cd web", "git push", "ssh host"}},
		"sudo's long options":               {"sudo --user ada git push", []string{"git push"}},
		"keywords":                          {"if make; then git push; fi", []string{"make", "git push", "fi"}},
		"a group and a subshell":            {"{ make; }; (cd web && git push)", []string{"make", "}", "cd web", "git push"}},
		"a command in a command":            {"echo $(git push) `make`", []string{"echo", "git push", "make"}},
		"a script":                          {`bash -lc "cd web && git push"`, []string{"bash -lc cd web && git push", "cd web", "git push"}},
		"redirections":                      {"git push >out 2>&1 </dev/null && make &>log", []string{"git push", "make"}},
		"a number that is a word":           {"git push 2 >out", []string{"git push 2"}},
		"a comment":                         {"make # git push\nls a#b", []string{"make", "ls a#b"}},
		"a here-document is text":           {"cat <<'END' >f\ngit push\nEND\nmake", []string{"cat", "make"}},
		"a here-document with tabs":         {"cat <<-END\n\tgit push\n\tEND\nmake", []string{"cat", "make"}},
		"a here-document without an end":    {"cat <<END\ngit push", []string{"cat"}},
		"the output of a command as a file": {"diff <(git show) b", []string{"diff", "git show", "b"}},
		"a quotation without an end":        {`echo "git push; make`, []string{"echo git push; make"}},
		"a quotation of the shell's own":    {`echo $'a b'`, []string{"echo a b"}},
		"a variable is no command":          {"$GIT push", []string{"$GIT push"}},
		"a command in double quotes":        {`echo "at $(git push) and ` + "`make`" + `"`, []string{"echo at $(git push) and `make`", "git push", "make"}},
		"a module of Python":                {"python3 -m pip install x", []string{"python3 -m pip install x", "pip install x"}},
		"what a runner runs":                {"npx --yes tsc; uv run pytest -q", []string{"npx --yes tsc", "tsc", "uv run pytest -q", "pytest -q", "-q"}},
		"what runs in a container":          {"docker exec -it -u root db psql", []string{"docker exec -it -u root db psql", "root db psql", "db psql", "db psql", "psql"}},
		"what comes after two dashes":       {"kubectl -n web exec api -- ls", []string{"kubectl -n web exec api -- ls", "ls"}},
		"nothing":                           {" \n;;&& ", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := texts(commandsOf(tt.line, false)); !slices.Equal(got, tt.want) {
				t.Errorf("%q: got %q, want %q", tt.line, got, tt.want)
			}
		})
	}
}

func TestCommandsIsBounded(t *testing.T) {
	if got := commandsOf(strings.Repeat("a;", maxCommandLine), false); len(got) != maxCommands {
		t.Errorf("%d commands, want %d", len(got), maxCommands)
	}
	if got := commandsOf("git push "+strings.Repeat("x", maxCommandLine), false); len(got) != 1 || !MatchesCommand([]string{"git push *"}, got[0]) {
		t.Errorf("%d commands", len(got))
	}
	if got := commandsOf(strings.Repeat("x", maxCommandLine)+" ; git push", false); len(got) != 1 {
		t.Errorf("%d commands", len(got))
	}
}

func TestMatchesCommand(t *testing.T) {
	for _, tt := range []struct {
		glob, command string
		want          bool
	}{
		{"git push*", "git push", true},
		{"git push*", "git push origin main", true},
		{"git push*", "echo git push", false},
		{"git push", "git push origin", false},
		{"git  push *", "git push origin", true},
		{"*deploy*", "make deploy-web", true},
		{"npm ? x", "npm i x", true},
		{"npm ? x", "npm ci x", false},
		{"**", "anything", true},
		{"*a*b", "xaxbxab", true},
		{"*a*b", "xaxbxa", false},
		{"", "git", false},
		{"docker compose down*", "docker compose -f x -p y down", true},
		{"docker compose down*", "docker-compose down", true},
		{"docker compose down*", "docker compose up down", false},
		{"docker-compose down*", "docker compose down -v", true},
		{"rm -rf*", "rm -fr build", true},
		{"rm -rf *", "rm -f -r build", true},
		{"rm -rf*", "rm build --recursive -f", true},
		{"rm -rf build*", "rm -f -R build", true},
		{"rm -rf build*", "rm -rf cache", false},
		{"rm -rf*", "rm -f build", false},
		{"cargo test*", "cargo +nightly t --release", true},
		{"cargo test", "cargo --locked test", true},
		{"cargo test", "cargo test --release", false},
		{"kubectl rollout restart*", "kubectl rollout -n web restart deploy/api", true},
		{"kubectl rollout restart*", "kubectl rollout -n web status restart", false},
		{"kubectl --context prod delete*", "kubectl delete pod x --context=prod", true},
		{"kubectl --context=prod delete*", "kubectl --context prod delete pod x", true},
		{"kubectl --context prod delete*", "kubectl --context dev delete prod", false},
		{"kubectl delete --force*", "kubectl delete -f x.yaml", false},
		{"git push --force*", "git push origin +main", true},
		{"git push --force*", "git -c user.name=x --no-pager --git-dir web/.git push -f", true},
		{"git push --force*", "git push origin main --force-with-lease", true},
		{"git push --force*", "git push origin main", false},
		{"git push -f", "git push --force", true},
		{"git push -f", "git push --force origin", false},
		{"git branch -D*", "git branch -d -f x", true},
		{"git branch -D*", "git branch -d x", false},
		{"git push*", "git -C", false},
		{"terraform destroy*", "terraform -chdir=x apply -destroy", true},
		{"terraform destroy*", "terraform apply destroy", false},
		{"npm install*", "npm --silent i left-pad", true},
		{"npm install*", "npm -w web ci", false},
		{" ", "", false},
	} {
		if got := MatchesCommand([]string{"no such thing", tt.glob}, strings.Fields(tt.command)); got != tt.want {
			t.Errorf("%q on %q: got %v", tt.glob, tt.command, got)
		}
	}
}

// FuzzCommands: a command has single spaces between words that the line holds, whatever the
// line is, and a glob of the command itself matches it.
func FuzzCommands(f *testing.F) {
	for _, seed := range []string{"git push", "a && b | c; d\ne", `echo "x \" y" 'z'`, "cat <<E\nx\nE\n", "A=1 sudo -u x git -C y push 2>&1", `sh -c 'sh -c "a b"'`, "$(x) `y` <(z) \\", "\x00'\"<<-"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		found := commandsOf(line, false)
		if len(found) > maxCommands {
			t.Fatalf("%d commands", len(found))
		}
		for _, command := range found {
			text := strings.Join(command, " ")
			for _, c := range []byte(text) {
				if c != ' ' && strings.IndexByte(line, c) < 0 {
					t.Errorf("%q is not in the line", c)
				}
			}
			if plain := !strings.ContainsAny(text, "*?") && len(text) <= maxCommandText && strings.Join(strings.Fields(text), " ") == text; plain && !MatchesCommand([]string{text}, command) {
				t.Errorf("%q does not match itself", command)
			}
		}
	})
}

func TestCommandsOfPowerShell(t *testing.T) {
	for name, tt := range map[string]struct {
		line string
		want []string
	}{
		"signs between commands":        {"make; git push | Out-Null && ls & dir", []string{"make", "git push", "Out-Null", "ls", "dir"}},
		"a backtick escapes":            {"echo a`;git push", []string{"echo a;git push"}},
		"a backtick goes on":            {"git `\r\n  push", []string{"git push"}},
		"a backslash is a character":    {`git -C C:\src\web push`, []string{`git -C C:\src\web push`}},
		"the call operator":             {`& "C:\Program Files\Git\cmd\git.exe" push`, []string{"git push"}},
		"a folder and an ending":        {`.\gradlew.bat publish`, []string{"gradlew publish"}},
		"doubled quotes":                {`echo 'it''s; git push' "say ""git push"""`, []string{`echo it's; git push say "git push"`}},
		"a command in double quotes":    {`echo "a $(git push) b"`, []string{"echo a  b", "git push"}},
		"none in single quotes":         {"echo '$(git push)'", []string{"echo $(git push)"}},
		"blocks":                        {"if ($x) { git push } else { make }", []string{"git push", "make"}},
		"a block of a pipe":             {"1..3 | ForEach-Object { git push }", []string{"1..3", "ForEach-Object", "git push"}},
		"assignments":                   {"$x = git push; $env:A='1'; $y=git pull", []string{"git push", "1", "git pull"}},
		"redirections":                  {"git push *> $null; make 2>&1 >out", []string{"git push", "make"}},
		"a text of several lines":       {"git commit -m @'\na; git push\n'@ -q; make", []string{"git commit -m \na; git push -q", "make"}},
		"a list":                        {"@(git push)", []string{"git push"}},
		"PowerShell once more":          {`powershell.exe -NoProfile -Command "git push; make"`, []string{"powershell -NoProfile -Command git push; make", "git push", "make"}},
		"the newer program, and cmd":    {`pwsh -c 'git push' ; cmd /c "git pull & dir"`, []string{"pwsh -c git push", "git push", "cmd /c git pull & dir", "git pull", "dir"}},
		"a text as a command":           {`iex "git push"`, []string{"iex git push", "git push"}},
		"a quotation without an end":    {`echo "git push; make`, []string{"echo git push; make"}},
		"an escape at the end":          {"echo `", []string{"echo"}},
		"an assignment without a value": {"$x =", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := texts(commandsOf(tt.line, true)); !slices.Equal(got, tt.want) {
				t.Errorf("%q:\n got %q\nwant %q", tt.line, got, tt.want)
			}
		})
	}
	if got := texts(commandsOf(`powershell -Command "git push; make"`, false)); !slices.Contains(got, "git push") {
		t.Errorf("PowerShell in a POSIX shell: %q", got)
	}
}

func FuzzCommandsOfPowerShell(f *testing.F) {
	f.Add("git `push @'\n'@ \"$(a)\" {")
	f.Fuzz(func(t *testing.T, line string) { commandsOf(line, true) })
}
