package gitops

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
)

// nothingToUnset is git config's exit status where there is no such value.
const nothingToUnset = 5

// RemoveConfigValue takes one value of key, however often it stands there, out
// of the repository's own config; that there is none is no error. Errors: as
// SetConfig.
func (r *Repo) RemoveConfigValue(ctx context.Context, key, value string) error {
	err := r.changeConfig(ctx, key, value, "--unset-all", key, exactly(value))
	if statusOf(err) == nothingToUnset {
		return nil
	}
	return err
}

// AddGlobalConfig adds one value of key to the person's own config. Errors:
// *BlockedError, *Error.
func AddGlobalConfig(ctx context.Context, key, value string) error {
	return changeGlobal(ctx, "--add", key, value)
}

// RemoveGlobalConfigValue takes one value of key out of the person's own
// config; that there is none is no error. Errors: *BlockedError, *Error.
func RemoveGlobalConfigValue(ctx context.Context, key, value string) error {
	err := changeGlobal(ctx, "--unset-all", key, exactly(value))
	if statusOf(err) == nothingToUnset {
		return nil
	}
	return err
}

// exactly is the pattern that git config matches values with.
func exactly(value string) string { return "^" + regexp.QuoteMeta(value) + "$" }

// changeGlobal runs outside any repository, as GlobalConfig does.
func changeGlobal(ctx context.Context, args ...string) error {
	wd, err := os.Getwd()
	if err != nil {
		wd = os.TempDir()
	}
	top := filepath.VolumeName(wd) + string(filepath.Separator)
	_, err = runGit(ctx, top, cleanEnvironment(repositoryVariables...), call{args: append([]string{"config", "--global"}, args...), writes: true})
	return publicError(err)
}
