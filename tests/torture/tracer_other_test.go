//go:build !(linux && amd64)

package torture

import (
	"errors"
	"os/exec"
)

// cannotTrace is why no process can be traced here.
func cannotTrace() string { return "the tracer knows Linux on amd64 alone" }

func startTracers() {}

func filtered() error { return errors.New(cannotTrace()) }

func trace(*exec.Cmd, blow) (traced, error) { return traced{}, errors.New(cannotTrace()) }
