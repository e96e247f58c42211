package setup

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/memctl/memctl/memory/briefing"
	"github.com/memctl/memctl/memory/upkeep"
	"github.com/memctl/memctl/settings"
	"github.com/memctl/memctl/store"
	"github.com/memctl/memctl/store/contents"
	"github.com/memctl/memctl/store/exchange"
)

// SettingView is one setting, its value and where it came from.
type SettingView struct {
	Name    string `json:"name"`
	Value   string `json:"value"`  // keys and passwords print as "set"
	Origin  string `json:"origin"` // default, environment variable NAME, git config (global) FILE, …
	Default string `json:"default"`
	Env     string `json:"env"`
	Help    string `json:"help"`
	Seldom  bool   `json:"-"` // worth showing only where it is set
}

// Settings lists every setting, its value and where it came from.
func Settings(ctx context.Context, ss *store.Stores) ([]SettingView, error) {
	var list []SettingView
	var failed error
	for _, row := range Rows() {
		v, err := ss.Setting(ctx, row)
		failed = errors.Join(failed, err)
		view := SettingView{Name: row.Name, Value: v.Text, Origin: v.Origin, Default: row.Default, Env: row.Env, Help: row.Help, Seldom: row.Seldom}
		if row.Secret && v.Text != "" {
			view.Value = "set"
		}
		list = append(list, view)
	}
	if st, err := settingStore(ctx, ss, ""); err == nil {
		if m, err := contents.Read(ctx, st); err == nil {
			list = append(list, SettingView{Name: AnnounceWrites, Value: strconv.FormatBool(m.Settings.AnnounceWrites), Origin: "the memory file (" + st.Scope + ")",
				Default: "true", Help: "Whether each write prints one line, for everyone who shares the memory file."})
		}
	}
	return append(list, remoteSettings(ctx, ss)...), failed
}

// removed lists the settings of earlier versions. The help of each says what replaces it.
func removed() []settings.Row {
	rows := []settings.Row{
		{Name: "memctl.commitHooks", Env: "MEMCTL_COMMIT_HOOKS", Help: "set memctl.commit to stage, and commit yourself"},
		{Name: "memctl.embed.path", Env: "MEMCTL_EMBED_PATH", Help: "memctl has word vectors of its own, and memctl.embed.url names an embedder"},
		{Name: "memctl.journal", Env: "MEMCTL_JOURNAL", Help: "the journal is the only record of writes; git update-ref -d refs/memctl/journal deletes it"},
		{Name: "memctl.llm.calls", Env: "MEMCTL_LLM_CALLS", Help: "memctl.llm.tokens is the only limit"},
		{Name: "memctl.pinned", Env: "MEMCTL_PINNED", Help: "every prompt has what is pinned, up to 400 bytes"},
		{Name: "memctl.proxy.listen", Env: "MEMCTL_PROXY_LISTEN", Help: "use memctl proxy --listen"},
		{Name: "memctl.summary", Env: "MEMCTL_SUMMARY", Help: "memctl.capture decides whether a model reads sessions"},
		{Name: "memctl.turns.auto", Env: "MEMCTL_TURNS_AUTO", Help: "set memctl.turns.limit to 0"},
		{Name: "memctl.context.user", Env: "MEMCTL_CONTEXT_USER", Help: "use --user"},
		{Name: "memctl.llm.chain", Env: "MEMCTL_LLM_CHAIN", Help: "models are asked in the order of their sections in git config"},
		{Name: "memctl.price", Env: "MEMCTL_PRICE", Help: "memctl context list shows tokens"},
		{Name: "memctl.recall.count", Env: "MEMCTL_RECALL_COUNT", Help: "use memctl recall --count"},
		{Name: "memctl.recall.engine", Env: "MEMCTL_RECALL_ENGINE", Help: "use memctl recall --engine"},
		{Name: "memctl.recall.meaning", Env: "MEMCTL_RECALL_MEANING", Help: "recall always compares meaning too"},
		{Name: "memctl.recall.chunk", Env: "MEMCTL_RECALL_CHUNK", Help: "recall splits long texts at 1000 bytes"},
	}
	for _, name := range []string{"k1", "b", "label", "filler", "common", "thesaurus", "latent", "phrase", "floor", "unknown", "near", "together", "day",
		"speaker", "when", "timely", "agent", "own", "weight", "confidence", "pinned", "recency", "recencyDays", "diversity", "candidates", "text",
		"vector", "relevance", "rerankRecency"} {
		env := "MEMCTL_RECALL_" + strings.ToUpper(strings.NewReplacer("D", "_D", "R", "_R").Replace(name))
		rows = append(rows, settings.Row{Name: "memctl.recall." + name, Env: env, Help: "recall uses the numbers that measured best"})
	}
	return rows
}

// RemovedSetting says what replaces a setting of an earlier version; ok is false where there is none of this name.
func RemovedSetting(name string) (help string, ok bool) {
	for _, row := range removed() {
		if row.IsNamed(name) {
			return row.Help, true
		}
	}
	return "", false
}

// RemovedSettings lists the settings of earlier versions that still have a value: their origin, and
// as the help what replaces each.
func RemovedSettings(ctx context.Context, ss *store.Stores) []SettingView {
	var list []SettingView
	for _, row := range removed() {
		if v, _ := ss.Setting(ctx, row); v.Origin != settings.OriginDefault {
			list = append(list, SettingView{Name: row.Name, Origin: v.Origin, Env: row.Env, Help: row.Help})
		}
	}
	return list
}

// The switches in the memory file, which config sets.
const (
	AnnounceWrites = "announce_writes"
	FileEnabled    = "enabled"
)

// remoteSettings are the remotes of the person's own stores, which are no settings of
// this repository, and which people look for among them.
func remoteSettings(ctx context.Context, ss *store.Stores) []SettingView {
	var list []SettingView
	for _, scope := range ss.Scopes() {
		if scope != store.Private && scope != store.User {
			continue
		}
		st, err := ss.Get(ctx, scope)
		if err != nil {
			continue
		}
		if remote := exchange.Remote(ctx, st); remote != "" {
			list = append(list, SettingView{Name: "remote." + scope, Value: remote, Origin: "git config (the store's own)",
				Help: "where memctl sync exchanges the " + scope + " store; set by memctl sync --scope " + scope + " --remote URL"})
		}
	}
	return list
}

// Rows lists every setting, in the order that `memctl config` prints.
func Rows() []settings.Row {
	rows := append(slices.Clip(store.Rows()), upkeep.TurnsLimit, briefing.RecallPaths)
	return append(rows, briefing.EmbedURL, briefing.EmbedModel, briefing.EmbedKey, briefing.RerankURL, briefing.RerankModel, briefing.RerankKey, store.SharedURL, ProxyUpstream, ProxyHosts)
}
