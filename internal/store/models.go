package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/llm"
	"github.com/memctl/memctl/internal/settings"
)

// ModelTokens is the limit of a day. The providers themselves are sections of git config, [memctl-llm "NAME"].
var ModelTokens = settings.Setting{Name: "memctl.llm.tokens", Env: "MEMCTL_LLM_TOKENS", Default: "200000", Number: &settings.Range{Most: 1e9, Whole: true}, Personal: true,
	Help: "How many tokens memctl's calls to models may use in one day.", Advanced: true}

// providerSection begins the name of every provider's settings.
const providerSection = "memctl-llm."

// Providers are the models that a person configured, and what is wrong with their configuration.
type Providers struct {
	Chain       []llm.Provider // in the order in which they are tried
	Problems    []string       // why a provider is left out
	LiteralKeys []string       // the names of providers whose key is in git config itself
}

// Providers reads the chain of models from global and system git config. A repository's own
// config, which can come with a folder from somebody else, does not count. Errors: fault.Setting.
func (ss *Stores) Providers(ctx context.Context) (Providers, error) {
	var found Providers
	if !ss.HasModels(ctx) {
		return found, nil
	}
	config, _ := ss.gitConfig(ctx, ss.repo)
	sections := map[string]map[string]string{}
	var names []string
	for _, e := range config.All(providerSection) {
		name, field, ok := providerSetting(e)
		if !ok {
			continue
		}
		if sections[name] == nil {
			sections[name], names = map[string]string{}, append(names, name)
		}
		sections[name][field] = e.Value
	}
	for _, name := range names {
		section := sections[name]
		p, problem := ss.provider(name, section)
		if problem != "" {
			found.Problems = append(found.Problems, strconv.Quote(name)+": "+problem)
			continue
		}
		if section["key"] != "" {
			found.LiteralKeys = append(found.LiteralKeys, name)
		}
		found.Chain = append(found.Chain, p)
	}
	return found, nil
}

// HasModels reports whether global or system git config has a provider. It starts no git where
// the cache of the configuration holds.
func (ss *Stores) HasModels(ctx context.Context) bool { return ss.LookupConfig(ctx).Models }

// providerSetting splits the name of one setting of a provider; ok is false for one that a
// repository made.
func providerSetting(e gitops.Entry) (name, field string, ok bool) {
	if e.Scope == "local" || e.Scope == "worktree" {
		return "", "", false
	}
	rest, _ := strings.CutPrefix(e.Key, providerSection)
	dot := strings.LastIndexByte(rest, '.')
	if dot <= 0 {
		return "", "", false
	}
	return rest[:dot], rest[dot+1:], true
}

// provider makes a provider of its section. problem is why it cannot be used; it repeats no key.
func (ss *Stores) provider(name string, section map[string]string) (p llm.Provider, problem string) {
	p = llm.Provider{Name: name, Kind: section["kind"], URL: section["url"], Model: section["model"], Key: section["key"], KeyCommand: section["keycommand"], Command: section["command"]}
	for field := range section {
		if !slices.Contains([]string{"kind", "url", "model", "key", "keyenv", "keycommand", "command", "timeout"}, field) {
			return p, fmt.Sprintf("unknown setting %q (kind, url, model, keyEnv, keyCommand, key, command, timeout)", field)
		}
	}
	switch p.Kind {
	case llm.OpenAI, llm.Anthropic:
		if p.Model == "" {
			return p, "has no model"
		}
	case llm.Command:
		if strings.TrimSpace(p.Command) == "" {
			return p, "has no command"
		}
	case "":
		return p, "has no kind (openai, anthropic or command)"
	default:
		return p, fmt.Sprintf("unknown kind %q (use openai, anthropic or command)", p.Kind)
	}
	if text := section["timeout"]; text != "" {
		limit, err := time.ParseDuration(text)
		if seconds, e := strconv.Atoi(text); e == nil {
			limit, err = time.Duration(seconds)*time.Second, nil
		}
		if err != nil || limit <= 0 {
			return p, fmt.Sprintf("timeout %q is not a number of seconds or a duration such as 45s", text)
		}
		p.Timeout = limit
	}
	if env := section["keyenv"]; env != "" && p.Key == "" {
		if p.Key = ss.env.Getenv(env); p.Key == "" && p.KeyCommand == "" {
			return p, fmt.Sprintf("the variable %s of keyEnv is not set", env)
		}
	}
	return p, ""
}
