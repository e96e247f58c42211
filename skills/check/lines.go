package check

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// pattern is a rule about one line of a text or a program.
type pattern struct {
	rule    string
	message string
	re      func() *regexp.Regexp
	// unless, where it matches the line too, lifts the rule; nil for none.
	unless func() *regexp.Regexp
	// words of which the line must have one, in small letters: they cost less than the
	// expression.
	words []string
}

// patterns are compiled one by one, when a line has one of their words: most sessions need
// none of them.
var patterns = sync.OnceValue(func() []pattern {
	row := func(rule, message, words, re, unless string) pattern {
		p := pattern{rule: rule, message: message, words: strings.Fields(words), re: compiled(re)}
		if unless != "" {
			p.unless = compiled(unless)
		}
		return p
	}
	const (
		fetch   = `(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod)\b`
		shell   = `(?:sudo\s+(?:-\S+\s+)*)?(?:ba|z|da|k|fi)?sh\b|(?:sudo\s+)?(?:python3?|node|perl|ruby|php)\b`
		secrets = `(?:~|\$home|\$\{home\}|/root|/home/\S+?)/\.(?:ssh|aws|gnupg|netrc|kube|docker|npmrc|pypirc|git-credentials)|id_(?:rsa|ed25519|ecdsa)\b|/etc/shadow`
	)
	const loose = "lets an agent run everything without asking"
	const fetched = "runs a program as soon as it is fetched, so nobody can read it before"
	return []pattern{
		row(RuleFetch, fetched, "curl wget fetch iwr irm invoke", fetch+`[^;&]*\|\s*(?:env\s+)?(?:\S*/)?(?:`+shell+`|iex\b|invoke-expression)(?:\s|$|["'`+"`"+`)]|-)`, installers),
		row(RuleFetch, fetched, "curl wget", `(?:\b(?:ba|z)?sh\b|\bsource\b|\beval\b|\bpython3?\b|\bnode\b|^\s*\.)\s*(?:-\w+\s+)*["']?(?:<\(|\$\(|`+"`"+`)\s*(?:curl|wget)`, installers),
		row(RuleFetch, fetched, "downloadstring iwr irm", `(?:iex|invoke-expression)\b.*(?:downloadstring|iwr|irm|webrequest|restmethod)|downloadstring\(.*\|\s*iex`, installers),
		row(RuleFetch, fetched, "curl wget", `(?:curl|wget)\b.*(?:&&|;)\s*(?:sudo\s+)?(?:chmod\s+\S+\s+\S+\s*(?:&&|;)\s*(?:sudo\s+)?[./~$\w]|(?:ba|z)?sh\s+\S)`, installers+`|\.(?:deb|rpm|tar|zip)\b`),
		row(RuleFetch, fetched, "exec eval", `(?:exec|eval)\(.*(?:urlopen|requests\.get|urllib|fetch\(|axios|https?\.get)`, ""),
		row(RuleFetch, fetched, "eval", `(?:https?\.get|fetch)\(.*eval\(`, ""),
		row(RuleFetch, "installs packages from an address without encryption", "index-url trusted-host", `pip3?\s+install\b.*(?:--(?:extra-)?index-url[= ]+http://|--trusted-host)`, `localhost|127\.0\.0\.1`),
		row(RuleObscure, "runs code that is encoded, so nobody can read it", "base64 atob fromcharcode codecs frombase64", `(?:exec|eval|system|popen|function)\s*\(.{0,60}(?:b64decode|base64\.decode|atob|fromcharcode|codecs\.decode|buffer\.from\([^)]*base64|base64_decode)`, ""),
		row(RuleObscure, "runs code that is encoded, so nobody can read it", "base64", `base64\s+(?:-d|-D|--decode)\b[^|]*\|\s*(?:`+shell+`)(?:\s|$)`, ""),
		row(RuleObscure, "runs code that is encoded, so nobody can read it", "powershell pwsh", `(?:powershell|pwsh)\S*\s.*-e(?:nc|c|ncodedcommand)?\s+[a-z0-9+/=]{20}`, ""),
		row(RuleAccess, "opens a shell to another machine", "/dev/tcp nc ncat socat", `(?:>&|<|>|exec \d+<>)\s*/dev/tcp/|\bn(?:c|cat)\b\s+(?:-\w+\s+)*-\w*e\b|socat\b.*exec:`, ""),
		row(RuleAccess, "lets somebody log in to this machine", "authorized_keys", `(?:>>?|tee(?:\s+-a)?)\s*\S*authorized_keys|authorized_keys["')]*\s*,\s*["'][aw]`, ""),
		row(RuleAccess, "gives rights without a password", "nopasswd sudoers", `nopasswd:\s*all|(?:>>?|tee(?:\s+-a)?)\s*/etc/sudoers`, ""),
		row(RuleAccess, "opens files to everybody", "chmod", `chmod\s+(?:-r\s+)?(?:0?777|a\+rwx)\s+(?:-r\s+)?(?:/|~|\$home)/?(?:\s|$|["'`+"`"+`])`, ""),
		row(RuleAccess, "runs a command of the network at each start", "curl wget", `(?:curl|wget)\b.*>>?\s*["']?\S*(?:\.(?:bash|zsh)rc|profile|crontab|\.bash_login|autostart|launchagents|systemd)`, ""),
		row(RuleAccess, "runs a command of the network at fixed times", "crontab cron", `(?:curl|wget)\b.*\|\s*crontab|crontab\b.*(?:curl|wget)\b`, ""),
		row(RuleDisable, loose, "dangerous yolo full-auto bypass allow-all trust-all", `\b(?:claude|codex|gemini|copilot|opencode|cursor-agent|agent|qwen|amp)\b[^|;&]*\s(?:--dangerously-(?:skip-permissions|bypass-approvals\S*)|--yolo\b|--full-auto\b|--(?:trust|allow)-all-tools|danger-full-access)`, forbids),
		row(RuleDisable, loose, "bypasspermissions", `defaultmode["'\])]*\s*[:=]\s*["']?bypasspermissions`, forbids),
		row(RuleDisable, loose, "bash(", `bash\(\*\)["'`+"`"+`]*\s+to\b|permissions?\b.*allow.*bash\(\*\)`, forbids),
		row(RuleDisable, loose, "approv", `(?:approval_policy|autoapprove|auto_approve)["']?\s*[:=]\s*["']?(?:never|true)`, forbids),
		row(RuleDisable, "turns protection off", "realtime setenforce hookspath gpgsign sslverify spctl csrutil ufw defender", `disablerealtimemonitoring|setenforce\s+0|core\.hookspath[= ]+(?:/dev/null|["']["'])|spctl\s+--master-disable|csrutil\s+disable|ufw\s+disable|(?:--global|--system)\s+http\.sslverify\s+false`, forbids),
		row(RuleDisable, "turns memctl's protection off", "memctl", `memctl\s+(?:trust\b(?:\s+(?:-\S+|true|reviewed))*\s*(?:$|[`+"`"+`"';&.,)])|policy\s+accept|config\s+(?:memctl\.)?(?:trust|policy|enabled|accept)\b)`, ""),
		row(RuleSend, "sends secrets of this machine away", "env printenv curl wget nc", `(?:\benv\b|\bprintenv\b|\bset\b|\bexport -p)\s*\|\s*(?:base64[^|]*\|\s*)?(?:curl|wget|nc|ncat)\b`, ""),
		row(RuleSend, "sends secrets of this machine away", "curl wget nc dig nslookup scp", `(?:curl|wget|ncat|nslookup|dig)\b.*(?:`+secrets+`)|(?:`+secrets+`).*\|.*(?:curl|wget|\bnc\b|ncat|nslookup)`, `--(?:key|cert|cacert|netrc-file)\s+\S*\.(?:kube|docker|ssh)|curl\s+-n`),
		row(RuleSend, "sends secrets of this machine away", "scp rsync", `(?:scp|rsync)\b.*(?:`+secrets+`)\S*\s+\S+:`, ""),
		row(RuleFetch, fetched, "npx bunx uvx", `(?:npx|bunx|uvx)\s+(?:-\S+\s+)*["']?https?://`, ""),
		row(RuleSend, "puts what the agent knows into the address of a picture", "![", `!\[[^\]]*\]\(https?://[^)]*[?&][^)=]*=[^)]*(?:\{\{|\$\{|\{%|<(?:conversation|summary|context|user|prompt))`, ""),
		row(RuleFetch, "runs a command of the network whenever the skill is read", "!`", "!`[^`]*(?:curl|wget|nc|scp|ssh)\\b[^`]*`", `gh |git `),
	}
})

func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// installers are the addresses of well-known installers, which many projects name. Such a line
// gives a warning.
const installers = `https://(?:astral\.sh|(?:www\.)?bun\.(?:sh|com)|deno\.land|sh\.rustup\.rs|get\.docker\.com|install\.python-poetry\.org|get\.pnpm\.io|fnm\.vercel\.app|raw\.githubusercontent\.com/(?:nvm-sh/nvm|Homebrew/install|homebrew/install|helm/helm|kubernetes-sigs|rancher/k3d|golangci|aquasecurity|trufflesecurity|anchore|ohmyzsh)|get\.helm\.sh|get\.k3s\.io|deb\.nodesource\.com|rpm\.nodesource\.com|ollama\.(?:com|ai)|claude\.ai|fly\.io|foundry\.paradigm\.xyz|cli\.github\.com|sdk\.cloud\.google\.com|mise\.(?:run|jdx\.dev)|get\.sdkman\.io|install\.determinate\.systems|nixos\.org|get\.volta\.sh|pyenv\.run|starship\.rs|get\.rke2\.io|dl\.google\.com|releases\.hashicorp\.com|cursor\.com)|http://(?:localhost|127\.0\.0\.1)|https?://(?:localhost|127\.0\.0\.1)`

// forbids are words with which a line speaks against what it names.
const forbids = `never|do not|don't|dont |avoid|must not|not use|forbid|reject|refuse|instead of|without --|no --|not allowed|flagged|detect|is dangerous|risk|disables? (?:all )?protection`

// lines checks each line by the patterns.
func (c *checking) lines(text string) {
	whole := strings.ToLower(text)
	some := slices.DeleteFunc(slices.Clone(patterns()), func(p pattern) bool { return !hasAny(whole, p.words) })
	for at := range joined(text) {
		if len(some) == 0 {
			return
		}
		lower := strings.ToLower(at.text)
		for _, p := range some {
			if !hasAny(lower, p.words) || !p.re().MatchString(lower) {
				continue
			}
			severity := Error
			if p.rule != RuleAccess && hasAny(lower, []string{"attacker", "malicious", "injection", "exploit", "vulnerab"}) {
				severity = Warning // it tells of an attack instead of making one
			}
			switch {
			case p.unless == nil:
			case p.rule == RuleDisable && p.unless().MatchString(p.re().ReplaceAllString(lower, "")):
				continue // a word beside it speaks against it
			case p.rule != RuleDisable && p.unless().MatchString(lower):
				severity = Warning
			}
			c.add(p.rule, severity, at.line, 1, p.message, "")
		}
	}
}

func hasAny(lower string, words []string) bool {
	for _, w := range words {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return len(words) == 0
}

// logical is a line with those that a backslash continues.
type logical struct {
	line int
	text string
}

// joined gives the lines of a text, those of one command joined.
func joined(text string) func(yield func(logical) bool) {
	return func(yield func(logical) bool) {
		n, first, held := 0, 0, ""
		for line := range strings.Lines(text) {
			n++
			line = strings.TrimRight(line, "\r\n")
			if held == "" {
				first = n
			}
			if cut, ok := strings.CutSuffix(line, "\\"); ok && len(held) < 4000 {
				held += cut + " "
				continue
			}
			if !yield(logical{first, held + line}) {
				return
			}
			held = ""
		}
		if held != "" {
			yield(logical{first, held})
		}
	}
}

// whole checks what only a whole program shows: one line reads secrets or fetches something,
// and another sends data or runs what came.
func (c *checking) whole(text string) {
	lower := strings.ToLower(text)
	if reads := position(lower, "/.ssh/", "/.aws/", "/.gnupg", "/.netrc"); reads >= 0 && position(lower, "requests.post(", "urlopen(", "curl -x post", "curl -d", "fetch(", "dig +short", "http.post(", "axios.post(") >= 0 {
		c.add(RuleSend, Error, lineAt(text, reads), 1, "reads secrets of this machine, and the same file sends data away", "")
	}
	// In a program that evaluates what it gets, the two are close.
	const near = 400
	for at := 0; ; {
		i := position(lower[at:], "https.get(", "http.get(", ").get('http", ").get(\"http", "urlopen(", "fetch('http", "fetch(\"http", "requests.get(")
		if i < 0 {
			return
		}
		at += i + 1
		if position(lower[at:min(len(lower), at+near)], "eval(", " exec(", "\nexec(", "\texec(", "new function(") >= 0 {
			c.add(RuleFetch, Error, lineAt(text, at), 1, "runs what it has fetched, so nobody can read it before", "")
		}
	}
}

// position is where the first of the words in the text stands; -1 where none does.
func position(text string, words ...string) int {
	first := -1
	for _, w := range words {
		if i := strings.Index(text, w); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}

// lineAt is the number of the line at an offset.
func lineAt(text string, at int) int { return 1 + strings.Count(text[:min(at, len(text))], "\n") }
