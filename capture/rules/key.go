package rules

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxKeyWords is how many words of a key stand behind the namespace.
	maxKeyWords = 2
	// minContent is the length in bytes from which a word that is in no table says something.
	minContent = 3
	// maxKeyWord is the length in bytes of a word that can be a part of a key.
	maxKeyWord = 20
)

// namespaces are the first parts of keys, each with the words that mean it. Where the words of
// several are there, the one that stands first here wins.
const namespaces = `
commits: commit, commits, committing, conventional, conventional-commits
testing: test, tests, testing, pytest, jest, vitest, playwright, cypress, mocha, coverage, mock, mocks, fixture, pruebas, тесты, тест, テスト, 测试
git: branch, branches, merge, rebase, push, pull, pr, repo, repository, worktree, squash, rama, ветка
review: review, reviews, reviewer, approve, approval
deploy: deploy, deploys, deployment, deployed, release, releases, staging, production, railway, vercel, netlify, heroku, desplegar, деплой, 部署
database: migration, migrations, migratoins, schema, sql, database, db, prisma, postgres, postgresql, mysql, sqlite, sequelize, mongodb, redis, supabase, migración, 数据库
security: secret, secrets, credential, credentials, auth, permission, permissions
language: english, spanish, german, french, chinese, japanese, portuguese, italian, russian, castellano, español, inglés, deutsch, englisch, français, anglais, italiano, português, česky, 中文, 英文, 日本語
communication: answer, answers, reply, replies, respond, response, responses, explain, explanation, explanations, emoji, emojis, emoticons, concise, brief, short, verbose, summary, summaries, tone, ask, confirm, tell, apologize, step-by-step, diagram, diagrams, visual, examples, recommend, suggest
docs: readme, docs, documentation, docstring, docstrings, changelog, markdown, md, comment, comments
naming: name, names, naming, rename, called, prefix, suffix, camelcase, snake_case, kebab-case
style: format, formatting, formatter, lint, linting, linter, indent, indentation, tabs, spaces, quotes, semicolon, semicolons, newline, line, ending, style, prettier, biome, eslint, black, ruff, gofmt, css, functional, top-down
dependencies: package, packages, dependency, dependencies, library, libraries, npm, pnpm, yarn, bun, pip, uv, poetry, cargo, install, import, imports
architecture: component, components, module, modules, class, classes, function, functions, method, methods, interface, pattern, service, layer, blueprint, architecture, structure, folder, folders, directory, file, files, type, types
environment: windows, mac, macos, linux, ubuntu, debian, wsl, zsh, bash, fish, powershell, shell, terminal, machine, laptop, computer, server, port, localhost, version, venv, tier, timezone, installed
tooling: docker, terraform, ansible, make, makefile, vite, webpack, node, python, go, rust, typescript, javascript, react, vue, tailwind, bootstrap, git, github, cursor, claude, vscode
profile: username, beginner, experience, learning, developer, certified, job, role
workflow: run, before, after, wait, plan, step, steps, stop, yourself, change, changes, fix
`

// filler are words that say nothing in a key, beside the words of two letters.
const filler = `the and but for from now not don't dont never always every all any each with without this that these those there here when what which who why how
you your yours our ours their its his her have has had having will would should shall could can can't must may might are was were been being does did done doing
use uses used using please make sure want wants wanted need needs like prefer preferred also just only very really more most less than then them they instead rather over
into onto about because since before after again remember keep mind going forward let lets let's i'm i'll i've i'd we're we'll we've it's that's don doesn't isn't won't shouldn't
partir ahora adelante jetzt sofort maintenant partire agora ora some something anything everything nothing same other others another such so too yet still even ever much many few first last next one two new get gets got put take give
say said told tell think know see look time times way thing things stuff lot bit code project app application
para que con los las una uno del por como más pero sin sobre este esta esto siempre nunca cuando debe deben tiene quiero und der die das den dem ein eine einen nicht mit für auf von ist sind immer nie bitte
les des une pour avec dans sur pas que qui est sont toujours jamais mais donc não para com uma por mais dos das sempre nunca il lo gli una per con non che sono sempre mai
это что как для или все так нет при если надо нужно всегда никогда не на по из и`

// A name is a word as it is written and as it is compared.
type name struct{ written, form string }

func wordsIn(text string, words []word) (names []name) {
	for _, w := range words {
		names = append(names, name{strings.ToLower(text[w.from:w.to]), w.form})
	}
	return names
}

// KeyOf makes a key of a text, whatever it states.
func KeyOf(text string) string {
	words := wordsOf(text, 0)
	return keyOf(wordsIn(text, words), classify(words))
}

// keyOf makes a key of the words that distinguish a statement.
func keyOf(words []name, c classes) string {
	t := compiled()
	space, at := "", len(namespaces)
	for _, w := range words {
		if n, ok := t.namespaces[w.form]; ok {
			if i := strings.Index(namespaces, "\n"+n+":"); i < at {
				space, at = n, i
			}
		}
	}
	if space == "" {
		space = spaceOf(c)
	}
	var picked []string
	for _, least := range []int{2, 1} {
		for _, w := range words {
			form := keyWord(w.written)
			if len(picked) < maxKeyWords && form != "" && weight(t, w.form, space) >= least && !strings.HasPrefix(space, stem(form)) && !repeats(picked, w.form) {
				picked = append(picked, form)
			}
		}
	}
	if len(picked) == 0 {
		h := fnv.New32a()
		for _, w := range words {
			h.Write([]byte(w.form))
		}
		picked = []string{"said-" + strconv.FormatUint(uint64(h.Sum32()%46656), 36)}
	}
	return space + "." + strings.Join(picked, "-")
}

// repeats reports whether a word is picked already in another form.
func repeats(picked []string, form string) bool {
	return slices.ContainsFunc(picked, func(p string) bool { return stem(p) == form })
}

// weight is how much a word says in a key of the namespace: 2 the words of tables, 1 other
// words, 0 filler.
func weight(t *tables, form, space string) int {
	switch {
	case t.filler[form] || len(form) < minContent:
		return 0
	case t.namespaces[form] != "" && t.namespaces[form] != "workflow":
		return 2
	}
	for _, p := range t.phrases[form] {
		if len(p.words) == 1 && (p.class == tool || p.class == repo || p.class == style) {
			return 2
		}
	}
	return 1
}

// spaceOf is the namespace of a statement none of whose words means one.
func spaceOf(c classes) string {
	switch {
	case c.has(self):
		return "profile"
	case c.has(style):
		return "communication"
	case c.has(machine):
		return "environment"
	case c.has(tool):
		return "tooling"
	case c.has(workflow), c.has(agent):
		return "workflow"
	}
	return "conventions"
}

// keyWord is a word in the form of a key, or "".
func keyWord(form string) string {
	form = strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			return r
		case r == '\'' || r > 127:
			return -1
		}
		return '-'
	}, form), "-")
	if len(form) > maxKeyWord || len(form) < 2 || form[0] <= '9' {
		return ""
	}
	return form
}

// content is how many words say something.
func content(words []word) (n int) {
	t := compiled()
	for _, w := range words {
		if weight(t, w.form, "") > 0 && len(w.form) > 3 {
			n++
		}
	}
	return n
}

// Meet reports whether two keys that the rules made name one rule: one namespace, and a word in
// common behind it.
func Meet(a, b string) bool {
	spaceA, restA, _ := strings.Cut(a, ".")
	spaceB, restB, _ := strings.Cut(b, ".")
	if spaceA != spaceB {
		return false
	}
	other := strings.Split(restB, "-")
	return slices.ContainsFunc(strings.Split(restA, "-"), func(w string) bool { return repeats(other, stem(w)) })
}

// Same reports whether two texts state one rule: their words that say something are equal, in the
// same order, and both forbid or both do not.
func Same(a, b string) bool {
	t := compiled()
	said := func(text string) (forms []string, no bool) {
		words := wordsOf(text, 0)
		for _, w := range words {
			if weight(t, w.form, "") > 0 {
				forms = append(forms, w.form)
			}
		}
		return forms, classify(words).has(forbids)
	}
	wordsA, noA := said(a)
	wordsB, noB := said(b)
	return len(wordsA) > 0 && noA == noB && slices.Equal(wordsA, wordsB)
}

// polite are words at the beginning or the end of a statement that are no part of it.
const polite = `please, also, and, but, so, ok, okay, hey, hi, thanks, thank you, claude, cursor, copilot, gemini, codex, from now on, going forward, from here on, moving forward, remember that, remember to, remember, please remember, note that, keep in mind that, as i said, like i said, i told you, as i told you, for future reference, make sure to, make sure that, be sure to, por favor, además, recuerda que, a partir de ahora, en adelante, bitte, und, ab jetzt, ab sofort, s'il te plaît, désormais, à partir de maintenant, por favor, a partir de agora, per favore, d'ora in poi, пожалуйста, отныне, запомни, 请, 以后, 记住`

// plain takes address and politeness off both ends of a statement.
func plain(text string) string {
	for {
		before := text
		text = strings.Trim(text, " \t\r\n,;:.!-–—*\"'“”")
		lower := strings.ToLower(text)
		for _, p := range []string{"yes,", "no,", "oh,", "well,", "again,", "again:"} {
			if strings.HasPrefix(lower, p) {
				text, lower = text[len(p):], lower[len(p):]
			}
		}
		for p := range strings.SplitSeq(polite, ", ") {
			if rest, ok := strings.CutPrefix(lower, p); ok && len(rest) > 0 && (p[0] >= 128 || strings.ContainsAny(rest[:1], " ,:;!")) && len(lower) == len(text) {
				text = text[len(p):]
				break
			}
			if rest, ok := strings.CutSuffix(lower, " "+p); ok && (strings.HasSuffix(rest, ",") || strings.HasSuffix(p, " on") || strings.HasSuffix(p, "forward")) && len(lower) == len(text) {
				text = text[:len(rest)]
				break
			}
		}
		if text == before {
			return strings.Join(strings.Fields(text), " ")
		}
	}
}
