package maestro_test

import (
	"testing"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// TestTestsNameCommands: each command of Maestro is an action of tests, too, or is refused with the action to write.
func TestTestsNameCommands(t *testing.T) {
	t.Parallel()
	for _, name := range maestro.Commands() {
		if _, action := dsl.Lookup(name); action {
			continue
		}
		if steps, _ := dsl.OwnSteps(source.Field{Key: name}, dsl.Android); len(steps) == 0 {
			t.Errorf("%s is an unknown word in a test", name)
		}
	}
}
