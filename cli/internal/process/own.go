package process

import (
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/run"
)

// OwnActions are the own actions of the project around the working folder.
func OwnActions(env *Env) *dsl.Own { return run.Config{Dir: env.Dir}.OwnActions(env.Dir) }
