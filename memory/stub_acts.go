package memory

import (
	"context"

	"github.com/memctl/memctl/store"
)

func Init(ctx context.Context, ss *store.Stores, req InitRequest) (InitResult, error) { panic("stub") }
func Show(ctx context.Context, ss *store.Stores, req ShowRequest) (ShowResult, error) { panic("stub") }
func Profile(ctx context.Context, ss *store.Stores) (ProfileResult, error)            { panic("stub") }
func Add(ctx context.Context, ss *store.Stores, req AddRequest) (Write, error)        { panic("stub") }
func Confirm(ctx context.Context, ss *store.Stores, req ConfirmRequest) ([]Write, error) {
	panic("stub")
}
func Doubt(ctx context.Context, ss *store.Stores, req KeysRequest) ([]Write, error)    { panic("stub") }
func Forget(ctx context.Context, ss *store.Stores, req ForgetRequest) ([]Write, error) { panic("stub") }
func Lock(ctx context.Context, ss *store.Stores, req KeysRequest) ([]Write, error)     { panic("stub") }
func Unlock(ctx context.Context, ss *store.Stores, req KeysRequest) ([]Write, error)   { panic("stub") }
func SetSetting(ctx context.Context, ss *store.Stores, req SettingRequest) (Write, error) {
	panic("stub")
}
func Validate(ctx context.Context, ss *store.Stores, req ValidateRequest) (ValidateResult, error) {
	panic("stub")
}
func Recover(ctx context.Context, ss *store.Stores, req RecoverRequest) (RecoverResult, error) {
	panic("stub")
}
func Log(ctx context.Context, ss *store.Stores, req LogRequest) (LogResult, error)     { panic("stub") }
func Diff(ctx context.Context, ss *store.Stores, req DiffRequest) (DiffResult, error)  { panic("stub") }
func Why(ctx context.Context, ss *store.Stores, key, scope string) (WhyResult, error)  { panic("stub") }
func Undo(ctx context.Context, ss *store.Stores, req UndoRequest) ([]Write, error)     { panic("stub") }
func Restore(ctx context.Context, ss *store.Stores, req RestoreRequest) (Write, error) { panic("stub") }
func Review(ctx context.Context, ss *store.Stores, scope string) (ReviewResult, error) { panic("stub") }
func Decide(ctx context.Context, ss *store.Stores, d Decision) (Write, error)          { panic("stub") }
func Settings(ctx context.Context, ss *store.Stores) ([]SettingView, error)            { panic("stub") }

// Keys lists the keys of all readable items, for completion.
func Keys(ctx context.Context, ss *store.Stores) ([]string, error) { panic("stub") }
