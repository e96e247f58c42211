package localstate

import (
	"context"
	"fmt"
	"time"

	"github.com/memctl/memctl/internal/fault"
	"github.com/memctl/memctl/internal/llm"
	"github.com/memctl/memctl/internal/store"
	"github.com/memctl/memctl/internal/store/statedir"
)

const (
	// modelsFile holds what the calls to models used today, and their last failures. It is in
	// the data folder: the limit is one for all repositories.
	modelsFile = "models.json"
	// maxFailureText bounds the text of a failure, in bytes.
	maxFailureText = 400
	// toldFailures is after how many failures in a row the person is told.
	toldFailures = 2
)

// ModelUse is what memctl's calls to models used in one day.
type ModelUse struct {
	Day    string `json:"day"`
	Calls  int    `json:"calls"`
	Tokens int    `json:"tokens"` // of calls under way, the most that they can use

	Failures int    `json:"failures,omitempty"` // times in a row that no model answered
	Failure  string `json:"failure,omitempty"`  // why, the last time
	Told     bool   `json:"told,omitempty"`     // the person knows of these failures

	MaxTokens int `json:"-"`
}

// Models returns the chain of configured models within the daily limit. Without a configured
// model the chain is empty. Errors: fault.Setting.
func Models(ctx context.Context, ss *store.Stores) (llm.Chain, error) {
	found, err := ss.Providers(ctx)
	if err != nil {
		return llm.Chain{}, err
	}
	return llm.Chain{Providers: found.Chain, Budget: ModelBudget{ss}}, nil
}

// ModelBudget is the daily limit, as local state counts it.
type ModelBudget struct{ ss *store.Stores }

// BudgetOf returns the daily limit of the person whose stores these are.
func BudgetOf(ss *store.Stores) ModelBudget { return ModelBudget{ss} }

// UseOfModels returns what the calls of today used, and the limit. Errors: fault.LocalState,
// fault.Setting.
func UseOfModels(ctx context.Context, ss *store.Stores) (u ModelUse, err error) {
	if u, err = models(ss).Read(); err != nil {
		return u, err
	}
	return u.useToday(ctx, ss)
}

// useToday is the use with the limit, and with no use where the day is over. A clock that was set
// back by a day begins no new day, but a day farther ahead than that is a clock's mistake.
func (u ModelUse) useToday(ctx context.Context, ss *store.Stores) (ModelUse, error) {
	tokens, err := ss.Setting(ctx, store.ModelTokens)
	u.MaxTokens = int(tokens.Float())
	if today := ss.Today(); today > u.Day || u.Day > ss.Now().AddDate(0, 0, 2).Format(time.DateOnly) {
		u.Day, u.Calls, u.Tokens = today, 0, 0
	}
	return u, err
}

// models is the state. A dry run counts its calls too: they cost as much.
func models(ss *store.Stores) statedir.File[ModelUse] {
	state := ss.DataState()
	state.ReadOnly = false
	return statedir.File[ModelUse]{In: state, Name: modelsFile, Quick: true}
}

// change replaces the state while no other process can. What was used counts also where the caller has given up.
func (b ModelBudget) change(ctx context.Context, change func(*ModelUse) error) error {
	return models(b.ss).Change(func(u *ModelUse) (err error) {
		if *u, err = u.useToday(context.WithoutCancel(ctx), b.ss); err == nil {
			err = change(u)
		}
		return err
	})
}

// Reserve counts one call, and takes at most tokens out of today's limit. Errors: fault.ModelLimit,
// fault.LocalState.
func (b ModelBudget) Reserve(ctx context.Context, tokens int) (settle func(reached bool, used int) error, err error) {
	day := ""
	err = b.change(ctx, func(u *ModelUse) error {
		if u.Tokens+tokens > u.MaxTokens {
			cause := fmt.Sprintf("a call of up to %d tokens could exceed the limit of %d a day; %d are used", tokens, u.MaxTokens, u.Tokens)
			return &fault.Error{Code: fault.ModelLimit, Cause: cause, Retry: true}
		}
		u.Calls++
		u.Tokens += tokens
		day = u.Day
		return nil
	})
	if err != nil {
		return nil, err
	}
	return func(reached bool, used int) error {
		return b.change(ctx, func(u *ModelUse) error {
			if u.Day != day {
				return nil
			}
			u.Tokens += max(0, used) - tokens // a server may report anything
			if !reached {
				u.Calls--
			}
			return nil
		})
	}, nil
}

// Report counts the failures in a row. A failure to write them is of no account: the next
// failure counts.
func (b ModelBudget) Report(ctx context.Context, failure error) {
	if failure == nil {
		if u, err := UseOfModels(ctx, b.ss); err == nil && u.Failures == 0 {
			return
		}
	}
	_ = b.change(ctx, func(u *ModelUse) error {
		if failure == nil {
			u.Failures, u.Failure, u.Told = 0, "", false
			return nil
		}
		u.Failures++
		u.Failure = failure.Error()
		u.Failure = u.Failure[:min(len(u.Failure), maxFailureText)]
		return nil
	})
}

// Failing says that the models failed repeatedly, or is "" where they did not.
func (u ModelUse) Failing() string {
	if u.Failures < toldFailures {
		return ""
	}
	return fmt.Sprintf("the last %d requests to models failed, so nothing was extracted from them: %s", u.Failures, u.Failure)
}

// TellFailing returns Failing for a session's start, once for each row of failures. It costs a
// hook one read of a small file.
func TellFailing(ctx context.Context, ss *store.Stores) string {
	if u, err := models(ss).Read(); err != nil || u.Told || u.Failing() == "" || ss.DryRun() {
		return ""
	}
	text := ""
	err := BudgetOf(ss).change(ctx, func(u *ModelUse) error {
		if !u.Told {
			text, u.Told = u.Failing(), true
		}
		return nil
	})
	if err != nil {
		return ""
	}
	return text
}
