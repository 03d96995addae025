package process

import (
	"context"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/runner/run"
)

// EndSessions ends the sessions that killed runs have left at remotes, and prints which.
func EndSessions(ctx context.Context, env *Env, conf run.Config) {
	ended, err := conf.Sessions().EndLeft(ctx)
	if len(ended) > 0 {
		fmt.Fprintf(env.Stderr, "ended what a killed run had left at remotes: %s\n", strings.Join(ended, ", "))
	}
	if err != nil {
		fmt.Fprintf(env.Stderr, "taproot: warning: %v\n", err)
	}
}
