package capture

import (
	"testing"

	"github.com/memctl/memctl/memfile"
)

// TestKeys: a key is the area and the first two or three content words, in any language.
func TestKeys(t *testing.T) {
	for _, test := range []struct{ heading, text, want string }{
		{"Rules", "Do not use the old client", "rules.no-old-client"},
		{"Rules", "Use tabs instead of spaces", "rules.tabs-spaces"},
		{"Rules", "Run `make test` twice", "rules.run-make-test-twice"},
		{"Rules", "C++17 only", "rules.cpp17"},
		{"Rules", "Never commit secrets to the log", "rules.never-commit-secrets"},
		{"Rules", "The", "rules.xb9776d7d"},
		{"Rules", "1. One change for each pull request", "rules.01-one-change-pull"},
		{"Rules", "12. Ask before you drop a column", "rules.12-ask-drop-column"},
		{"Data", "Money is integer cents, never floats.", "data.money-integer-cents"},
		{"Tests", "Tests sit next to the file they test", "tests.tests-sit-next"},
		{"Git", "Branches: `feature/NAME`", "git.branches-feature-name"},
		{"Build", "`build_context(url, depth)` - Navigate the graph", "build.build-context-navigate"},
		{"Do", "Use tabs", "do.tabs"},
		{"CLAUDE.md", "Use tabs", "notes.tabs"},
		{"AGENTS.md - Shop API", "Use tabs", "shop-api.tabs"},
		{"Lessons", "Use tabs", "lesson.tabs"},
		{"Key links", "Use tabs", "links.tabs"},
		{"规则", "提交之前 运行测试", "规则.提交之前-运行测试"},
		{"Regeln", "größe nie über 10 setzen", "regeln.größe-nie-über"},
		{"Réponses", "Toujours répondre en français", "réponses.toujours-répondre"},
		{"", "Use tabs", "notes.tabs"},
	} {
		if key := newNamer().Key(test.heading, test.text); key != test.want || !memfile.KeyForm(key) {
			t.Errorf("%q, %q: got %s, want %s", test.heading, test.text, key, test.want)
		}
	}
}

// TestEachKeyIsGivenOnce: a second text with the same key gets more of its words, or a number.
func TestEachKeyIsGivenOnce(t *testing.T) {
	n := newNamer()
	for _, test := range [][2]string{
		{"Run tests before you push", "git.run-tests-push"}, {"Run tests before you push the branch", "git.run-tests-push-branch"}, {"Run tests, push", "git.run-tests-push-2"},
	} {
		if key := n.Key("Git", test[0]); key != test[1] {
			t.Errorf("%q: got %s, want %s", test[0], key, test[1])
		}
	}
}
