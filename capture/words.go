package capture

import (
	"slices"
	"strings"
	"sync"

	"github.com/memctl/memctl/memfile"
)

// labelled takes a text apart at the mark after its label, of at most four words. label is "" where it has none.
func labelled(text string) (label, rest string) {
	for i := range text {
		for _, mark := range [...]string{": ", " – ", " — ", " - "} {
			if i > 0 && strings.HasPrefix(text[i:], mark) && strings.Count(text[:i], "`")%2 == 0 {
				if len(strings.Fields(text[:i])) > 4 {
					return "", ""
				}
				return text[:i], text[i+len(mark):]
			}
		}
	}
	return "", ""
}

// denies reports whether a heading or a label turns what follows round.
func denies(text string) bool {
	lower := strings.ReplaceAll(strings.ToLower(text), "’", "'")
	return slices.ContainsFunc(strings.FieldsFunc(lower, func(r rune) bool { return r != '\'' && (r < 'a' || r > 'z') }), func(w string) bool {
		return slices.Contains([]string{"not", "don't", "dont", "don'ts", "never", "avoid", "no", "without", "forbidden", "prohibited", "bad", "wrong", "mistakes", "pitfalls"}, w)
	})
}

// commanding reports whether a text says must, never and the like anywhere.
func commanding(text string) bool {
	return containsAny(" "+strings.ReplaceAll(text, "’", "'")+" ", " always ", " never ", " must ", " mustn't ", " do not ", " don't ", " should ", " shouldn't ", " will not ", " prefer ", " avoid ", " ensure ", " not allowed", " forbidden", " instead of ")
}

// containsAny reports whether a text contains one of the parts, in upper or lower case.
func containsAny(text string, parts ...string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(lower, part) })
}

// doubtful reports whether a text itself says that it is not sure.
func doubtful(text string) bool {
	return containsAny(text, "maybe", "perhaps", "probably", "i'm not sure", "i am not sure", "not sure if", "might ", "seems", "i think", "todo:") ||
		strings.HasSuffix(text, "?")
}

// maxTechnical caps the tags that technical words give one entry.
const maxTechnical = 3

// technicalWords are the names of languages, tools and formats in a text, as
// tags, in the order of the text.
func technicalWords(text string) []string {
	var out []string
	known := technical()
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !memfile.KeyLetter(r) && r != '+' && r != '#' }) {
		if name := known[w]; name != "" && !slices.Contains(out, name) && len(out) < maxTechnical {
			out = append(out, name)
		}
	}
	return out
}

var technical = sync.OnceValue(func() map[string]string {
	words := map[string]string{"golang": "go", "c++": "cpp", "c#": "csharp", "k8s": "kubernetes", "postgresql": "postgres", "js": "javascript", "ts": "typescript", "py": "python", "nodejs": "node", "yml": "yaml", "tests": "testing", "pytest": "pytest"}
	for _, w := range strings.Fields(`alpine android ansible apache api aws azure babel bash bazel bun cargo celery ci clang cli
 cmake cobra cors css cypress deno django docker dns eslint express fastapi fish flask gcp git github gitlab go gradle grafana
 graphql grpc helm html http https java javascript jest json jwt kafka kotlin kubernetes lambda laravel linux llm lua macos make
 markdown maven mcp mongodb mypy mysql nextjs nginx node npm numpy oauth openai openapi pandas php playwright pnpm podman
 poetry postgres prettier prisma prometheus pytest python pytorch rabbitmq rails react redis regex rest ruby ruff rust s3 sass
 scala sdk sentry shell spark sql sqlite ssh ssl svelte swift tailwind tensorflow terraform testing tls toml typescript uv vite
 vitest vue webpack websocket windows xml yaml yarn zig`) {
		words[w] = w
	}
	return words
})
