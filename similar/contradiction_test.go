package similar

import "testing"

func TestTakesBack(t *testing.T) {
	for name, tt := range map[string]struct {
		key, text, laterKey, later string
		want                       bool
	}{
		"a rule and its denial":                      {"commits.emojis-messages", "use emojis in commit messages", "commits.emojis", "never use emojis in commits", true},
		"a denial and the rule":                      {"commits.emojis", "never use emojis in commit messages", "communication.emojis", "use emojis in commit messages", true},
		"a general denial":                           {"commits.emojis", "use emojis in commit messages", "communication.emojis", "never use emojis", true},
		"another value of one slot":                  {"style.indent", "tabs", "style.spaces", "indent with spaces", true},
		"the value that was turned down":             {"deps.manager", "use pnpm, never npm", "dependencies.npm", "use npm", true},
		"values that changed places":                 {"deps.manager", "use pnpm, never npm", "dependencies.npm-pnpm", "use npm, not pnpm", true},
		"another language":                           {"commits.language", "write commit messages in English", "commits.spanish-messages", "commit messages in Spanish", true},
		"another number":                             {"style.width", "keep lines under 80 characters", "style.line-characters", "lines of at most 100 characters", true},
		"another measure":                            {"style.wrap-lines", "wrap lines at 100 columns", "style.wrap", "wrap lines at 120 columns", true},
		"another case":                               {"go.errors", "errors start with a lower-case letter", "errors.start", "errors start with a capital letter", true},
		"another unit":                               {"domain.distances", "Distances are metres and times are seconds", "domain.km", "distances are kilometres", true},
		"another limit":                              {"python.functions-over-50-lines", "Functions over 50 lines get split", "style.functions-over-40-lines", "functions over 40 lines get split", true},
		"a permission":                               {"git.no-push-main", "never push to main", "", "pushing to main is allowed", true},
		"the same in terms of permission":            {"git.no-push-main", "never push to main", "", "pushing to main is not allowed", false},
		"a permission elsewhere":                     {"git.no-push-main", "never force-push", "", "a force-push is fine on a branch of your own", false},
		"no longer":                                  {"deploy.heroku", "we deploy on Heroku", "deploy.heroku-longer", "we no longer deploy on Heroku", true},
		"after in place of before":                   {"testing.commit", "run the tests before each commit", "testing.after", "run the tests after each commit", true},
		"a change that says so":                      {"a.gallery", "implement the project gallery with 8 cards", "a.cards", "the gallery now includes 10 cards after adding two new projects", true},
		"an experience that is denied":               {"a.kelly", "I met Kelly at the library book club", "a.never", "I have never met Kelly at any book club or library event", true},
		"the same rule":                              {"style.indent", "use tabs", "style.tabs", "always use tabs", false},
		"the same denial":                            {"commits.emojis", "never use emojis in commits", "commits.no", "no emojis in commit messages", false},
		"an exception":                               {"style.indent", "use tabs", "style.spaces-python", "use spaces in Python", false},
		"a rule of another subject":                  {"commits.emojis", "never use emojis in commit messages", "docs.emojis", "use emojis in the README", false},
		"two limits":                                 {"style.functions", "keep functions under 60 lines", "style.files", "keep files under 400 lines", false},
		"two denials agree":                          {"testing.commit", "commit with tests", "testing.never", "never commit without tests", false},
		"another word that is denied":                {"typescript.strict", "use TypeScript", "typescript.any", "never use any in TypeScript", false},
		"two values of which either is right":        {"deps.manager", "use npm or yarn", "deps.yarn", "use yarn", false},
		"a port of another thing":                    {"env.api-port", "the API listens on port 8080", "env.db-port", "the database listens on port 5432", false},
		"numbers of things that the keys name":       {"build.port", "use 8081 for now", "test.port", "use 8082 for now", false},
		"things that are numbered":                   {"plan.first", "step 1 runs the linter", "plan.second", "step 2 runs the linter", false},
		"a denial where more is said":                {"testing.commit", "run make test before each commit", "testing.laptop", "never run make test before each commit on a laptop", false},
		"nothing in common":                          {"style.indent", "use tabs", "testing.runner", "never mock the database", false},
		"nothing said":                               {"a.b", "", "c.d", "", false},
		"two languages for two things":               {"language.answer", "answer in English", "docs.comments", "write code comments in German", false},
		"a tool for one purpose and one for another": {"db.main", "we use Postgres", "db.tests", "we use SQLite in tests", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := NewRule(tt.laterKey, tt.later).TakesBack(tt.key, tt.text); got != tt.want {
				t.Errorf("%q, then %q: %v", tt.text, tt.later, got)
			}
		})
	}
}

func TestOpposes(t *testing.T) {
	for name, tt := range map[string]struct {
		key, text, laterKey, later string
		want                       bool
	}{
		"another tool":                    {"go.logging", "Logging goes through `slog`, with the request id", "tooling.zerolog", "use zerolog instead of slog", true},
		"a tool of another key":           {"tests.front-end", "`pnpm -C web test`. Never use yarn", "dependencies.npm", "use npm instead of pnpm", true},
		"for the same purpose":            {"db.sessions", "use Postgres for sessions", "db.redis", "use Redis instead of Postgres for sessions", true},
		"a permission under another key":  {"go.no-assertion-libraries", "No assertion libraries, only the standard package", "dependencies.assertion-libraries", "you may use assertion libraries", true},
		"a thing that is without another": {"logs.tokens", "never log tokens", "logs.requests", "always log requests without tokens", false},
		"the pronoun":                     {"git.branches", "Rebase, don't merge", "git.merge", "I want you to use merge instead of rebase", true},
		"one shared word":                 {"go.no-panic", "No panic outside of main", "errors.panic", "panic early", false},
		"for another purpose":             {"db.main", "use Postgres for the ledger", "db.redis", "use Redis instead of Postgres for sessions", false},
		"an exception":                    {"style.indent", "use tabs", "style.python", "use spaces instead of tabs in Python", false},
		"what is not wanted there":        {"db.no-postgres", "never use Postgres", "db.redis", "use Redis instead of Postgres", false},
		"nothing is replaced":             {"go.logging", "Logging goes through `slog`", "tooling.zerolog", "use zerolog", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := NewRule(tt.laterKey, tt.later).Opposes(tt.key, tt.text); got != tt.want {
				t.Errorf("%q, then %q: %v", tt.text, tt.later, got)
			}
		})
	}
}

func TestRejects(t *testing.T) {
	for name, c := range map[string]struct {
		later, earlier string
		want           bool
	}{
		"what was tried":            {"we tried Redis for sessions and went back to Postgres", "keep sessions in Redis", true},
		"what did not work":         {"a cron job for the nightly backup did not work, it died with the machine", "run the nightly backup as a cron job", true},
		"one shared word":           {"we tried Redis for rate limits and gave up on it", "keep sessions in Redis", false},
		"no rejection":              {"sessions in Redis work well", "keep sessions in Redis", false},
		"a rejection of other work": {"the pull request for the logo was rejected", "keep sessions in Redis", false},
	} {
		if got := NewRule("", c.later).Rejects("", c.earlier); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
