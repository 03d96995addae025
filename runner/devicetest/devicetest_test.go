package devicetest_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestWithoutGinkgo checks that a test of package testing links neither Ginkgo nor its flags.
func TestWithoutGinkgo(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".", "../matchers").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "/drivers/web") {
		t.Fatalf("these are not all packages:\n%s", out)
	}
	for name := range strings.Lines(string(out)) {
		if strings.Contains(name, "onsi/ginkgo") {
			t.Errorf("it links %s", strings.TrimSpace(name))
		}
	}
}
