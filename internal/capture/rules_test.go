package capture

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		name, text, previous string
		want                 string // the statement, or "" for none
		key                  string
		explicit, person     bool
	}{
		{name: "a standing wish", text: "From now on use single quotes in all TypeScript files.", want: "use single quotes in all TypeScript files", key: "style.single-quotes-typescript", explicit: true},
		{name: "a wish within a task", text: "Fix the parser, and from now on always run the linter before you commit. Then show me the diff.", want: "always run the linter before you commit", key: "commits.run-linter-commit", explicit: true},
		{name: "a task before it", text: "Fix the broken parser, and from now on always run the linter before you commit.", want: "always run the linter before you commit", key: "commits.run-linter-commit", explicit: true},
		{name: "a task after it", text: "From now on run the linter before every commit, and fix the loop in app/parse.go", want: "run the linter before every commit, and fix the loop in app/parse.go", key: "commits.run-linter-commit", explicit: true},
		{name: "a task that says please", text: "From now on squash the commits before merging, and please also update the README", want: "squash the commits before merging, and please also update the README", key: "commits.squash-commits-merging", explicit: true},
		{name: "a short rule and a task", text: "From now on distances are kilometres, and please convert the tests", want: "distances are kilometres, and please convert the tests", key: "testing.distances-kilometres", explicit: true},
		{name: "two wishes, one polite", text: "From now on always answer in German, and please keep it short", want: "always answer in German, and please keep it short", key: "language.answers", explicit: true, person: true},
		{name: "about the product", text: "From now on all buttons have a label for screen readers. Fix the two in the header.", want: "all buttons have a label for screen readers", key: "conventions.buttons-label-screen", explicit: true},
		{name: "for a while", text: "Remember that Ada is on holiday until January", want: "Ada is on holiday until January", key: "conventions.ada-holiday-until", explicit: true},
		{name: "for a text to write", text: "Draft a mail to the team that from now on standup is at 9:30"},
		{name: "a fact, then a task", text: "Remember that staging has no mail server, then deploy to staging", want: "staging has no mail server, then deploy to staging", key: "deploy.staging-no-mail", explicit: true},
		{name: "a task behind always", text: "Always run the linter before committing, and please fix the two warnings", want: "Always run the linter before committing, and please fix the two warnings", key: "commits.run-linter-committing"},
		{name: "please at the end", text: "Use uv instead of pip from now on, and update the Makefile please", want: "Use uv instead of pip from now on, and update the Makefile please", key: "dependencies.uv-pip-update", explicit: true},
		{name: "an order in two steps", text: "Remember that you have to start Docker, then run make up.", want: "you have to start Docker, then run make up", key: "tooling.start-docker-run", explicit: true},
		{name: "two files of one rule", text: "From now on put helpers in lib/util.go, and tests in lib/util_test.go.", want: "put helpers in lib/util.go, and tests in lib/util_test.go", key: "testing.put-helpers-lib-util-go", explicit: true},
		{name: "two orders that hold from now on", text: "Add a CHANGELOG entry and bump the version in package.json for each release from now on.", want: "Add a CHANGELOG entry and bump the version in package.json for each release", key: "deploy.add-changelog-entry", explicit: true},
		{name: "a clause that points back", text: "From now on write a test for each fix, please name it after the ticket.", want: "write a test for each fix, please name it after the ticket", key: "testing.write-test-fix", explicit: true},
		{name: "a clause that is pointed at", text: "Please add a line to CHANGELOG.md, and from now on do so for each fix.", want: "add a line to CHANGELOG.md, and from now on do so for each fix", key: "docs.add-line-changelog-md", explicit: true},
		{name: "a rule in two steps", text: "From now on write a test first, then fix the code", want: "write a test first, then fix the code", key: "testing.write-test-first", explicit: true},
		{name: "a rule of two orders", text: "From now on write tests for every fix and name them after the ticket", want: "write tests for every fix and name them after the ticket", key: "testing.write-tests-fix", explicit: true},
		{name: "an order that holds from now on", text: "Add the ticket to each commit, from now on always", want: "Add the ticket to each commit, from now on always", key: "commits.add-ticket-commit", explicit: true},
		{name: "how the agent answers", text: "Please always answer in English.", want: "always answer in English", key: "language.answers", explicit: true, person: true},
		{name: "a prohibition said again", text: "Again: never use emojis in commit messages!", want: "never use emojis in commit messages", key: "commits.never-emojis-commit"},
		{name: "what the project uses", text: "We're using pnpm, so never run npm install.", want: "We're using pnpm, so never run npm install", key: "dependencies.pnpm-never-run"},
		{name: "a preference", text: "I prefer table-driven tests over one function for each case.", want: "I prefer table-driven tests over one function for each case", key: "testing.prefer-table-driven"},
		{name: "a preference within a question", text: "I prefer trying new software before I buy it to be sure that it fits, can you help me find some options?"},
		{name: "about the person", text: "I don't know how to use Rust well.", want: "I don't know how to use Rust well", key: "tooling.no-know-how", person: true},
		{name: "Spanish", text: "A partir de ahora los mensajes de commit en castellano.", want: "los mensajes de commit en castellano", key: "commits.mensajes-commit-castellano", explicit: true},
		{name: "German", text: "Ab jetzt bitte keine Kommentare im Code.", want: "keine Kommentare im Code", key: "conventions.keine-kommentare", explicit: true},
		{name: "a rule after a colon", text: "Add a rule: new endpoints need an OpenAPI entry.", want: "new endpoints need an OpenAPI entry", key: "conventions.new-endpoints-openapi", explicit: true},
		{name: "asked at the end", text: "Never use console.log in production code, remember that.", want: "Never use console.log in production code", key: "deploy.never-console-log", explicit: true},
		{name: "asked in the next sentence", text: "We deploy with helm, not kustomize. Remember that.", want: "We deploy with helm, not kustomize", key: "deploy.deploy-helm-not", explicit: true},
		{name: "asked about the product", text: "Keep in mind that Windows users have no symlinks.", want: "Windows users have no symlinks", key: "environment.windows-users-no", explicit: true},
		{name: "what is asked back", text: "Remember that time we broke prod?"},
		{name: "a default of nothing", text: "Make that the default."},
		{name: "signs at the end", text: "From now on, never edit files under vendor/.", want: "never edit files under vendor/", key: "architecture.never-edit-files", explicit: true},
		{name: "signs at the beginning", text: "Remember that .env is generated.", want: ".env is generated", key: "conventions.env-generated", explicit: true},
		{name: "a text to show", text: `The button should say "from now on always use tabs in commits", fix it.`},
		{name: "after a quoted word", text: `"Fixed" is too vague, so from now on always write full commit messages.`, want: "always write full commit messages", key: "commits.write-full-commit", explicit: true},
		{name: "after German quotation marks", text: "Die Meldung „Fehler“ ist zu kurz, ab jetzt immer ganze Sätze in Commits schreiben.", want: "immer ganze Sätze in Commits schreiben", key: "commits.ganze-sätze-commits", explicit: true},
		{name: "after inches", text: `My monitor is 27" wide, so from now on always wrap lines at 120 columns in Go.`, want: "always wrap lines at 120 columns in Go", key: "tooling.wrap-lines-120", explicit: true},
		{name: "a short part after a semicolon", text: "Please remember that we use pnpm; never npm.", want: "we use pnpm; never npm", key: "dependencies.pnpm-never-npm", explicit: true},
		{name: "no reference alone", text: "The Railway config works now. Never touch it again!", want: "The Railway config works now – Never touch it again", key: "deploy.railway-config-works"},
		{name: "an answer means its question", text: "yes always", previous: "Done. Shall I run the tests after each change?", want: "Shall I run the tests after each change? – always", key: "testing.run-tests-change"},
		{name: "a task", text: "Please fix the failing test in parser_test.go and run it again."},
		{name: "the product's behaviour", text: "The button should always be visible on the checkout page."},
		{name: "a session that must not expire", text: "The session must never expire for admins."},
		{name: "a question", text: "Why do we always use tabs here?"},
		{name: "a to-do of today", text: "Let's remember to write the changelog later today."},
		{name: "a to-do of tonight", text: "Don't forget to restart the worker tonight."},
		{name: "what holds later", text: "Remember that later versions need Go 1.26.", want: "later versions need Go 1.26", key: "tooling.later-versions-go", explicit: true},
		{name: "only for now", text: "For now just skip the slow page."},
		{name: "thanks", text: "Great, thanks!"},
		{name: "nothing", text: ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := Find(tt.text, tt.previous)
			if tt.want == "" {
				if len(found.Statements) > 0 {
					t.Fatalf("found %+v", found.Statements)
				}
				return
			}
			if len(found.Statements) != 1 {
				t.Fatalf("%d statements, want 1: %+v", len(found.Statements), found)
			}
			s := found.Statements[0]
			if s.Text != tt.want || s.Key != tt.key || s.Explicit != tt.explicit || s.Person != tt.person {
				t.Errorf("got %q, key %q, explicit %v, person %v\nwant %q, key %q, explicit %v, person %v", s.Text, s.Key, s.Explicit, s.Person, tt.want, tt.key, tt.explicit, tt.person)
			}
		})
	}
}

func TestTwoWordingsMeet(t *testing.T) {
	key := func(text string) string {
		s := Find(text, "").Statements
		if len(s) == 0 {
			t.Fatalf("nothing found in %q", text)
		}
		return s[0].Key
	}
	a, b := key("From now on use single quotes in TypeScript."), key("I prefer single quotes, as I said, never double quotes.")
	if !sameRule(a, b) {
		t.Errorf("%q and %q do not meet", a, b)
	}
	if c := key("From now on answer in Spanish."); sameRule(a, c) {
		t.Errorf("%q and %q meet", a, c)
	}
}

func TestSameWords(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"use single quotes in TypeScript", "Always use single quotes in TypeScript from now on", true},
		{"use tabs and no spaces", "use spaces and no tabs", false},
		{"use emojis in commit messages", "never use emojis in commit messages", false},
		{"always", "never", false},
	} {
		if got := sameWords(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q: %v", tt.a, tt.b, got)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"From now on use tabs.", "以后不要用npm", "a\xffb, never.", "¿por qué siempre? — no, nunca más", strings.Repeat("always, ", 300)} {
		f.Add(s, "shall I?")
	}
	f.Fuzz(func(t *testing.T, text, previous string) {
		for _, s := range Find(text, previous).Statements {
			if s.From < 0 || s.To > len(text) || s.From >= s.To {
				t.Fatalf("shown part %d to %d of %d bytes", s.From, s.To, len(text))
			}
			if space, rest, ok := strings.Cut(s.Key, "."); !ok || space == "" || rest == "" {
				t.Fatalf("key %q", s.Key)
			}
			if utf8.ValidString(text) && utf8.ValidString(previous) && !utf8.ValidString(s.Text) {
				t.Fatalf("text %q is not UTF-8", s.Text)
			}
		}
	})
}

// BenchmarkFind reads a message of 10,000 characters.
func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("Please fix the test in parser_test.go, and from now on always run the linter before you commit; the page shows nothing. ", 84)
	for b.Loop() {
		Find(text, "")
	}
}

func TestWordingsThatPeopleUse(t *testing.T) {
	for text, want := range map[string]string{
		"My name is Grace.":                                  "user.name",
		"Call me Ada, please.":                               "user.address",
		"My time zone is Europe/Berlin.":                     "user.time-zone",
		"I live in Oslo.":                                    "user.home",
		"I work as a nurse, so explain the code.":            "user.work",
		"Ich wohne in Bern.":                                 "user.home",
		"Answer in English from now on.":                     "language.answers",
		"Antworte ab jetzt auf Deutsch.":                     "language.answers",
		"A partir de ahora responde siempre en español.":     "language.answers",
		"Remember: the staging host is zeus.":                "any",
		"Please avoid default exports.":                      "any",
		"Don't use semicolons.":                              "any",
		"Name branches feature/X.":                           "any",
		"Use --verbose for the tests. Make that the default": "any",
		"Whenever you touch the parser, run the fuzz tests.": "any",
		"Call me when the build is done.":                    "",
		"From now on skip the linter until we're done.":      "",
		"For now, always use the old port.":                  "",
		"Forget what I said about tabs, from now on.":        "",
		"Can you remember where I live in the code?":         "",
	} {
		key := ""
		if found := Find(text, ""); len(found.Statements) > 0 {
			key = found.Statements[0].Key
		} else if found.Suspected != "" {
			key = keyOf(found.Suspected, found.Suspected, aboutPerson("", found.Suspected), nil)
		}
		if want == "any" && key == "" || want != "any" && key != want {
			t.Errorf("%q: key %q, want %q", text, key, want)
		}
	}
}

func TestWhereItHoldsIsNoStatement(t *testing.T) {
	for _, text := range []string{
		"Ab jetzt: never push on Fridays. Please keep that in mind for all my projects.", "Never push on Fridays. Remember that in all my repos, please.",
		"Never push on Fridays. Merk dir das für alle meine Projekte.", "Never push on Fridays. Recuérdalo para todos mis proyectos.",
	} {
		found := Find(text, "").Statements
		if len(found) != 1 || strings.ToLower(found[0].Text) != "never push on fridays" || !found[0].Explicit {
			t.Errorf("%q: got %+v", text, found)
		}
	}
	if found := Find("Remember to squash commits in all my projects.", "").Statements; len(found) != 1 || found[0].Text != "squash commits in all my projects" {
		t.Errorf("got %+v", found)
	}
}

func TestTheRequestIsNoPartOfTheStatement(t *testing.T) {
	for _, text := range []string{"Remember that the bank exports are latin1.", "ok theirs. keep that in mind: the bank exports are latin1", "Keep in mind that the bank exports are latin1."} {
		found := Find(text, "").Statements
		if len(found) != 1 || found[0].Text != "the bank exports are latin1" {
			t.Errorf("%q: got %+v", text, found)
		}
	}
}

// TestSentences reads testdata/sentences.txt, which was written before the table and never fitted to: prompts in nine languages that ask
// to remember, state something lasting, ask for something once, tell what somebody else says, or are ordinary.
func TestSentences(t *testing.T) {
	data, err := os.ReadFile("testdata/sentences.txt")
	if err != nil {
		t.Fatal(err)
	}
	language, seen := "", map[string]int{}
	for line := range strings.Lines(string(data)) {
		kind, sentence, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			language = strings.TrimPrefix(kind, "# ")
			continue
		}
		seen[language+" "+kind]++
		found := Find(sentence, "")
		asked := len(found.Statements) > 0 && found.Statements[0].Explicit
		lasting := len(found.Statements) > 0 || found.Suspected != ""
		if asked != (kind == "asked") || lasting != (kind == "asked" || kind == "lasting") {
			t.Errorf("%s, %s: %q: asked %v, lasting %v", language, kind, sentence, asked, lasting)
		}
	}
	if len(seen) != 45 {
		t.Errorf("%d kinds of sentences", len(seen))
	}
	for name, n := range seen {
		if n < 6 {
			t.Errorf("%s: %d sentences", name, n)
		}
	}
}

// TestTable checks that each line of the table is read.
func TestTable(t *testing.T) {
	classes := 0
	for line := range strings.Lines(table) {
		head, phrases, ok := strings.Cut(strings.TrimSpace(line), ": ")
		class, points, _ := strings.Cut(head, " ")
		if _, err := strconv.Atoi(points); line == "\n" || strings.HasPrefix(line, "#") {
			continue
		} else if !ok || class == "" || err != nil {
			t.Errorf("%.60q", line)
		}
		classes++
		for phrase := range strings.SplitSeq(phrases, ", ") {
			bare := strings.Trim(phrase, "^*")
			if strings.TrimSpace(normal(bare)) != bare || bare == "" {
				t.Errorf("%s: %q is not as texts are compared", class, phrase)
			}
		}
	}
	if classes < 30 {
		t.Errorf("%d lines", classes)
	}
}
