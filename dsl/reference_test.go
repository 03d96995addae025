package dsl

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReferenceIsFresh fails when docs/reference.md is not what the structs say; `go test ./dsl -run Reference
// -update`, or taproot docs -o, writes it.
func TestReferenceIsFresh(t *testing.T) {
	const file = "../docs/reference.md"
	want := Reference()
	if *update {
		if err := os.MkdirAll("../docs", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/reference.md is not up to date; run \"taproot docs -o docs/reference.md\" (-want +got)\n%s", diff)
	}
}
