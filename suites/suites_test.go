package suites_test

import (
	"testing"

	_ "github.com/onsi/ginkgo/v2" // the ginkgo command recognizes a suite by this import
	"github.com/taproot-dev/taproot/runner"
)

// TestSuites runs the YAML tests below this folder as Ginkgo specs: `ginkgo --procs=3 ./suites` or `go test ./suites`.
func TestSuites(t *testing.T) { runner.RunSuites(t, ".") }
