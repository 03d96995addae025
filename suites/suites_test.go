package suites_test

import (
	"testing"

	_ "github.com/onsi/ginkgo/v2" // the ginkgo command takes a folder for one of its suites only when it finds this import
	"github.com/taproot-dev/taproot/runner"
)

// TestSuites runs the YAML tests below this folder as Ginkgo specs: `ginkgo --procs=3 ./suites` or `go test ./suites`.
func TestSuites(t *testing.T) { runner.RunSuites(t, ".") }
