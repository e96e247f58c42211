package setup

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/memctl/memctl/gitops"
	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/settings"
	"github.com/memctl/memctl/internal/shell"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/contents"
	"github.com/memctl/memctl/internal/store/txn"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/reading/briefing"
	"github.com/memctl/memctl/memory/upkeep"
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
		view := SettingView{Name: row.Name, Value: v.Text, Origin: v.Origin, Default: row.Default, Env: row.Env, Help: row.Help, Seldom: row.Advanced}
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
	return list, failed
}

// UnknownSettings lists the names of settings in git config that memctl does not have, as one of an earlier version, each with
// its place.
func UnknownSettings(ctx context.Context, ss *store.Stores) (list []SettingView) {
	for _, v := range ss.OtherSettings(ctx) {
		if !slices.ContainsFunc(Rows(), func(row settings.Setting) bool { return row.IsNamed(v.Name) }) {
			list = append(list, SettingView{Name: v.Name, Origin: v.Origin})
		}
	}
	return list
}

// The switches in the memory file, which config sets.
const (
	AnnounceWrites = "announce_writes"
	FileEnabled    = "enabled"
)

// Rows lists every setting, in the order that `memctl config` prints.
func Rows() []settings.Setting {
	rows := append(slices.Clip(store.Rows()), upkeep.TurnsLimit, briefing.RecallPaths)
	return append(rows, briefing.EmbedURL, briefing.EmbedModel, briefing.EmbedKey, briefing.RerankURL, briefing.RerankModel, briefing.RerankKey, store.SharedURL, ProxyUpstream, ProxyHosts)
}

// The settings of the proxy. They are the person's own: a repository must not say where their
// key goes.
var (
	ProxyUpstream = settings.Setting{Name: "memctl.proxy.upstream", Env: "MEMCTL_PROXY_UPSTREAM", Personal: true,
		Help: "The address of the model's service behind memctl proxy, as you would set it in OPENAI_BASE_URL or ANTHROPIC_BASE_URL. If unset, Anthropic's and OpenAI's own.", Advanced: true}
	ProxyHosts = settings.Setting{Name: "memctl.proxy.hosts", Env: "MEMCTL_PROXY_HOSTS", Personal: true,
		Help: "Further names by which clients may call memctl proxy, such as host.docker.internal, separated by commas.", Advanced: true}
)

// ChangeSetting writes the value of one setting to git config, at the level where it is set
// already, else to the person's own configuration, and returns that place in words.
// Refused: a value that the setting does not allow, and a setting that another command keeps.
func ChangeSetting(ctx context.Context, ss *store.Stores, name, text string) (where string, err error) {
	row, ok := rowOf(name)
	other := map[string]string{
		store.Trust.Name: "memctl trust", "memctl.protectedBranch": "git config --add memctl.protectedBranch main",
	}[name]
	if !ok || other != "" {
		return "", &fault.Error{Code: "not-set-here", Status: 1, Cause: memory.Quoted(name) + " is set with another command", Hints: []string{cmp.Or(other, "memctl help config")}}
	}
	if _, err := settings.Resolve(row, func(string) string { return "" }, one{text}); err != nil {
		return "", &fault.Error{Code: fault.Setting, Status: 2, Cause: memory.Quoted(text) + ": " + row.AllowedInWords()}
	}
	now, _ := ss.Setting(ctx, row) // a value that is not allowed says its level too
	defer ss.ForgetConfig()
	switch level := now.Level(); {
	case level == "local" && ss.Repo() != nil:
		return "this repository's git config", ss.Repo().SetConfig(ctx, row.Name, text)
	case level == "worktree", level == "system":
		return "", &fault.Error{Code: "not-set-here", Status: 1, Cause: memory.Quoted(name) + " is set in git config at the level " + level, Hints: []string{now.ChangeCommand(shell.Quote(text))}}
	}
	return "your own git config (--global)", gitops.ChangeGlobalConfig(ctx, gitops.ReplaceAll, row.Name, text)
}

func rowOf(name string) (settings.Setting, bool) {
	for _, row := range Rows() {
		if row.Name == name {
			return row, true
		}
	}
	return settings.Setting{}, false
}

// one is a source of settings that gives every setting one value.
type one struct{ text string }

func (o one) Entries(string) []settings.ConfigEntry {
	return []settings.ConfigEntry{{Value: o.text, Level: "global"}}
}

// SetSetting sets one of the file's shared switches.
func SetSetting(ctx context.Context, ss *store.Stores, req SettingRequest) (memory.Write, error) {
	act, done := switching(req.Name, req.On)
	w := req.Answer(act, req.Name, req.Scope)
	st, err := settingStore(ctx, ss, req.Scope)
	if err != nil {
		return w.Refused(err)
	}
	w.Scope = st.Scope
	out, err := req.Update(ctx, st, txn.Write{
		Act: act, Create: memory.CreatesFile(st.Scope),
		Change: func(doc *txn.Draft) error {
			if err := req.Permit("enable", memory.StateAbsent, "memctl config "+req.Name+" "+strconv.FormatBool(req.On)+" --scope "+st.Scope); err != nil {
				return err
			}
			*doc.Settings.Switch(req.Name) = req.On
			return nil
		},
	})
	if err != nil {
		return w.Refused(err)
	}
	w = w.Outcome(out)
	if out.Changed {
		w.Saved = done + " in scope " + st.Scope + memory.UndoHint(out, "config "+req.Name+" "+strconv.FormatBool(!req.On)+" --scope "+st.Scope, "")
		if req.Name == FileEnabled && !req.On && req.Explicit() {
			w.Notes = append(w.Notes, fault.NewNote("agents-switched-off", "agents receive nothing from it and cannot write to it; your own show, recall, add and forget still work"))
		}
	}
	return w, nil
}

// switching returns the act, as the journal names it, and what it does in words.
func switching(name string, on bool) (act, done string) {
	switch {
	case name == FileEnabled && on:
		return "enable", "Memory is enabled"
	case name == FileEnabled:
		return "disable", "Memory is disabled"
	case on:
		return "config announce_writes on", "Writes are announced"
	}
	return "config announce_writes off", "Writes are no longer announced"
}

// settingStore is the store whose switch is meant: the project's where it has
// a memory, else the user's.
func settingStore(ctx context.Context, ss *store.Stores, scope string) (*store.Store, error) {
	if scope == "" && !ss.IsSingleStore() {
		m, err := memory.ProjectMemory(ctx, ss)
		if err != nil {
			return nil, err
		}
		scope = store.User
		if m != nil && (m.Exists || m.Foreign || txn.Absent(ctx, m)) {
			scope = store.Project
		}
	}
	if scope == "" {
		scope = store.Only
	}
	return ss.Get(ctx, scope)
}

// SettingRequest sets one of the file's shared switches: "enabled" or "announce_writes".
type SettingRequest struct {
	memory.Options
	Name string
	On   bool
}
