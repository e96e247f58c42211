package keys

import (
	"testing"

	"github.com/memctl/memctl/memfile"
)

// TestKeys checks the words of keys: those that name the subject, and those that negate it.
func TestKeys(t *testing.T) {
	tests := []struct{ heading, text, want string }{
		{"Rules", "Do not use the old client", "rules.no-old-client"},
		{"Rules", "Always make sure that all of the tests pass before you push", "rules.tests-pass-before-push"},
		{"Rules", "Prefer small functions and files and short names", "rules.prefer-small-functions"},
		{"Rules", "Prefer `pathlib` over `os`", "rules.prefer-pathlib"},
		{"Rules", "Use tabs instead of spaces", "rules.tabs"},
		{"Rules", "Run `make test` twice", "rules.make-test-twice"},
		{"Rules", "C++17 only", "rules.cpp17"},
		{"Rules", "Never commit secrets to the log", "rules.no-commit-secrets-to-log"},
		{"Rules", "Never commit secrets to the log or the wiki", "rules.no-commit-secrets-to-log"},
		{"Rules", "Never edit files that are generated", "rules.no-edit-files-generated"},
		{"Rules", "The", "rules.xb9776d7d"},
		{"Data", "Money is integer cents, never floats.", "data.money"},
		{"Data", "Queries with kysely, raw SQL only in `packages/db`.", "data.queries"},
		{"Testing", "Tests sit next to the file they test", "testing.next-to-file"},
		{"Tests", "Tests must not reach the network; use `respx`", "tests.no-network"},
		{"Tests", "Snapshot tests are only for e-mail templates", "tests.snapshot-tests-only-for-e-mail-templates"},
		{"Tests", "Run the tests with `make`", "tests.run-tests"},
		{"Logs", "Look in `packages/ui` before writing a new component", "logs.look-in-packages-ui"},
		{"Rules", "Ask before you add a dependency", "rules.ask-before-dependency"},
		{"Python", "Python 3.12, type hints on every public function", "python.3-12"},
		{"Database", "Postgres 16; locally `docker compose up -d db`", "database.postgres-16"},
		{"Commands", "Never run `make seed` against staging; it deletes bookings", "commands.no-make-seed-against-staging"},
		{"Commands", "Format with `uv run ruff format` and `pnpm prettier --write web/src`", "commands.format"},
		{"CI", "Keep the pipeline under 8 minutes", "ci.pipeline-under-8-minutes"},
		{"Infra", "Everything runs in eu-central-1", "infra.eu-central-1"},
		{"Deployment", "No production deploys on Fridays after 14:00", "deployment.no-production-deploys-on-fridays"},
		{"Git", "Never force-push to main without a review", "git.no-force-push-to-main-without-review"},
		{"Naming", "Don't prefix tests with test_", "naming.no-prefix-tests"},
		{"Git", "Never push to main without a review", "git.no-push-to-main-without-review"},
		{"Git", "Don't amend unless asked", "git.no-amend-unless-asked"},
		{"Git", "Direct pushes to the main branch are not allowed.", "git.direct-pushes"},
		{"Git", "Only update files of one topic", "git.only-update-files-of-one-topic"},
		{"Git", "If an open PR has the fix, do not open another", "git.if-open-pr-fix"},
		{"Git", "Before you push, run the tests", "git.before-push"},
		{"Working with me", "When you finish, list what you did not test", "working-with-me.when-finish"},
		{"Working with me", "If a command fails twice, stop and tell me", "working-with-me.if-command-fails-twice"},
		{"Git", "Hooks: never skip them", "git.hooks-not-skip"},
		{"Build", "Type check: `make check`", "build.type-check"},
		{"Build", "`/api` - the REST endpoints", "build.api"},
		{"Build", "Note: Go 1.26 is needed", "build.go-1-26"},
		{"Things to avoid", "Long functions", "things-avoid.long-functions"},
		{"What not to do", "Long functions", "avoid.long-functions"},
		{"No busywork", "Small edits", "no-busywork.small-edits"},
		{"Errors, logs, secrets", "Secrets: the vault", "errors-logs-secrets.secrets"},
		{"CLAUDE.md", "Use tabs", "notes.tabs"},
		{"AGENTS.md - Shop API", "Use tabs", "shop-api.tabs"},
		{"Tools", "`build_context(url, depth)` - Navigate the graph", "tools.build-context"},
		{"Tests", "Don't add tests for default values given in plugins", "tests.no-tests-for-default-values"},
		{"Guide", "Use hooks where appropriate", "guide.hooks"},
		{"Rules", "Use clear, searchable names", "rules.clear-searchable-names"},
		{"Rules", "Write short, direct answers (no preamble)", "rules.write-short-direct-answers"},
		{"Rules", "Answer briefly", "rules.answer-briefly"},
		{"Rules", "Never retry uploads if the disk is nearly full", "rules.no-retry-uploads-if-disk-nearly-full"},
		{"Rules", "Do not cache replies when the user is signed in", "rules.no-cache-replies-when-user-signed"},
		{"Rules", "Only restart the broker while nobody is connected", "rules.only-restart-broker-while-nobody-connected"},
		{"Rules", "Do not accept patches that cannot be reviewed", "rules.no-accept-patches-not-reviewed"},
		{"Rules", "Report a fault that does not repeat", "rules.report-fault-not-repeat"},
		{"Rules", "The mailer must not block checkout", "rules.mailer-not-block-checkout"},
		{"Rules", "Treat every warning as a failure", "rules.treat-warning-as-failure"},
		{"Rules", "Keep a list of open questions", "rules.list-of-open-questions"},
		{"Rules", "Check grammar and spelling mistakes", "rules.check-grammar-and-spelling-mistakes"},
		{"Rules", "The billing worker drains the queue each night", "rules.billing-worker"},
		{"Rules", "`make lint` prints every finding of the linter", "rules.make-lint"},
		{"Rules", "Feature toggles guard unfinished work", "rules.feature-toggles"},
		{"Rules", "Not every table needs an index", "rules.table"},
		{"Rules", "npm everywhere except `apps/legacy/`", "rules.npm-everywhere-except-apps-legacy"},
		{"Rules", "Prices shown in the shop because users asked", "rules.prices-shown"},
		{"Rules", "All files must name a licence", "rules.files-name-licence"},
		{"Rules", "When renaming public or internal methods, keep an alias", "rules.when-renaming-public-or-internal-methods"},
		{"Rules", "If the mirror is slow, wait", "rules.if-mirror-slow"},
		{"Rules", "During a release, never rebase", "rules.no-rebase"},
		{"Commands", "`cd apps/web && npm test` - one app", "commands.npm-test"},
		{"Commands", "`.github/workflows/nightly-report.yml` - the report", "commands.workflows-nightly-report-yml"},
		{"IMPORTANT NOTE: Clock skew", "Use UTC", "clock-skew.utc"},
		{"Principle: one source of truth for every price", "Use UTC", "one-source-of-truth.utc"},
		{"Caching (not for tests)", "Use UTC", "caching.utc"},
		{"Storing large binary assets for the website", "Use UTC", "storing-large-binary-assets.utc"},
		{"规则", "提交之前 运行测试", "规则.提交之前-运行测试"},
		{"Rules", "größe nie über 10 setzen", "rules.größe-nie-über-10-setzen"},
		{"Git", "Don't open a merge request without a reviewer", "git.no-merge-request-without-reviewer"},
		{"Rules", "Never publish a package without the written consent of the maintainers", "rules.no-publish-package-without-written-consent"},
		{"Rules", "Don't add Ruby gems without asking", "rules.no-ruby-gems-without-asking"},
		{"Rules", "Never create a table or a view unless the ticket asks for it", "rules.no-table-unless-ticket-asks"},
		{"Rules", "Never report a pass or similar unless all checks report it", "rules.no-report-pass-unless-checks-report"},
		{"Rules", "Don't refactor while you hunt a bug", "rules.no-refactor-while-hunt-bug"},
		{"Rules", "Never push directly to the release branch", "rules.no-push-directly-to-release-branch"},
		{"Rules", "Don't merge your own patches", "rules.no-merge-own-patches"},
		{"Rules", "Do not touch code that is not part of the change", "rules.no-touch-code-not-part-of-change"},
		{"Rules", "Never drop a column, never rename one without a migration", "rules.no-drop-column"},
		{"Rules", "It is not allowed to add gems without asking", "rules.no-gems-without-asking"},
		{"Rules", "Open a release only after the smoke tests", "rules.release-only-after-smoke-tests"},
		{"Rules", "The shop talks to the bank only through the gateway", "rules.shop-only-through-gateway"},
		{"Rules", "Ask before you touch anything in `billing/`", "rules.ask-before-billing"},
		{"Rules", "When a change touches the ledger, run the audit suite", "rules.run-audit-suite"},
		{"Rules", "When in doubt, prefer the standard library", "rules.prefer-standard-library"},
		{"Rules", "When changing the schema, tell the data team - they own the reports", "rules.when-changing-schema"},
		{"Rules", "No hardcoding: use the settings", "rules.no-hardcoding"},
		{"Rules", "Never commit: secrets", "rules.no-commit-secrets"},
		{"Rules", "Step 2: Draft the plan", "rules.draft-plan"},
		{"Rules", "Tests use a real database, never a mock", "rules.tests-real-database"},
		{"Rules", "Explain why a test was removed", "rules.explain-why-test"},
		{"Rules", "Always run `make lint`. Without it, the build fails", "rules.make-lint"},
		{"Rules", "Avoid clever tricks even if they are shorter", "rules.avoid-clever-tricks"},
		{"Rules", "Use commit messages following the guide", "rules.commit-messages"},
		{"Rules", "The parser's fuzz test", "rules.parser-fuzz-test"},
		{"Rules", "Files must be in the index to be found", "rules.files-in-index"},
		{"Rules", "Nobody but the release bot pushes tags", "rules.nobody-except-release-bot-pushes"},
		{"Rules", "You don't have to document private fields", "rules.no-need-to-document-private-fields"},
		{"Rules", "Only use mocks in unit tests", "rules.only-mocks-in-unit-tests"},
		{"Rules", "Keep secrets out of the image", "rules.secrets-out-of-image"},
		{"Rules", "Keep the wiki up to date", "rules.wiki-up-to-date"},
		{"Rules", "Be careful with migrations", "rules.careful-with-migrations"},
		{"Rules", "Jobs run at night", "rules.jobs-run-at-night"},
		{"Rules", "Checks fail if the snapshot differs", "rules.checks-fail-if-snapshot-differs"},
		{"Rules", "Every endpoint needs a test", "rules.endpoint-test"},
		{"Rules", "Follow standard Go naming", "rules.standard-go-naming"},
		{"Rules", "Docs go to the wiki", "rules.docs"},
		{"Rules", "Do not create helper classes like `FooUtil`", "rules.no-helper-classes-like-fooutil"},
		{"Filters in the API", "Filters execute in reverse order", "filters-in-api.execute-in-reverse-order"},
		{"Rules", "Do not reformat, rename, or move unrelated code", "rules.no-reformat-rename-move-unrelated-code"},
		{"Rules", "Never upgrade all modules at once", "rules.no-upgrade-all-modules"},
		{"Rules", "Change only files directly related to the ticket", "rules.change-only-files-related-to-ticket"},
		{"Rules", "Don't introduce libraries with a viral licence", "rules.no-libraries-with-viral-licence"},
		{"Rules", "Prefer `golden` files following the guide", "rules.prefer-golden-files"},
		{"Rules", "Repeat the review when fixes change the design", "rules.repeat-review-when-fixes-change-design"},
		{"Rules", "FORBIDDEN: Raw SQL in views", "rules.no-raw-sql-in-views"},
		{"Rules", "Never run slow sweeps or recursive deletions in the home folder", "rules.no-run-slow-sweeps-or-recursive-deletions"},
		{"Do", "Use tabs", "do.tabs"},
		{"Models", "Talk: a lecture of a conference", "models.talk"},
		{"Linter setup", "The linter is configured with a shared preset", "linter-setup.shared-preset"},
		{"Do not", "Add Ruby gems to the core list", "avoid.ruby-gems-to-core-list"},
		{"Do not", "Change anything in `deploy/` without explicit maintainer approval", "avoid.change-deploy-without-maintainer-approval"},
	}
	for _, test := range tests {
		if key := NewNamer().Key(test.heading, test.text, false); key != test.want || !memfile.KeyForm(key) {
			t.Errorf("%q: got %s, want %s", test.text, key, test.want)
		}
	}
	for _, test := range [][2]string{
		{"Force pushes", "git.no-force-pushes"}, {"Never a force push", "git.no-force-push"}, {"Guess without asking", "git.no-guess-without-asking"},
		{"Update docs that don't change", "git.no-update-docs-not-change"}, {"The robot does not push", "git.robot-not-push"},
	} {
		if key := NewNamer().Key("Git", test[0], true); key != test[1] {
			t.Errorf("%q below a label that reverses it: got %s, want %s", test[0], key, test[1])
		}
	}
}

// TestEachKeyIsGivenOnce: a second text with the same key gets more of its words, or a number.
func TestEachKeyIsGivenOnce(t *testing.T) {
	n := NewNamer()
	for _, test := range [][2]string{
		{"Run tests before you push", "git.run-tests"}, {"Run tests before you merge", "git.run-tests-before-merge"}, {"Run tests", "git.run-tests-2"},
	} {
		if key := n.Key("Git", test[0], false); key != test[1] {
			t.Errorf("%q: got %s, want %s", test[0], key, test[1])
		}
	}
}

// TestRest: a value does not repeat the label that its key is, and a sentence stays whole.
func TestRest(t *testing.T) {
	for text, want := range map[string]string{
		"Unit tests: `make test`":         "`make test`",
		"Never commit: secrets":           "",
		"Keep functions small: 60 lines":  "",
		"Branch names are `name/topic`":   "",
		"Long functions get split":        "",
		"The page talks to the API first": "",
		"Use tabs":                        "",
	} {
		if got := Rest(NewNamer().Key("Rules", text, false), text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
