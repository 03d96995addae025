package dsl_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
)

// TestStepsForNewcomers: what docs/coming-from.md says is valid test syntax.
func TestStepsForNewcomers(t *testing.T) {
	data, err := os.ReadFile("../docs/coming-from.md")
	if err != nil {
		t.Fatal(err)
	}
	code, checked := regexp.MustCompile("`([^`]+)`"), 0
	for _, line := range strings.Split(string(data), "\n") {
		cells := strings.Split(line, " | ")
		if len(cells) != 2 || strings.HasPrefix(line, "|---") {
			continue
		}
		for _, m := range code.FindAllStringSubmatch(cells[1], -1) {
			name, _, _ := strings.Cut(m[1], ":")
			def, known := dsl.Lookup(name)
			if !known {
				t.Errorf("%s is no step", m[1])
				continue
			}
			platform := "android"
			if !def.On(dsl.Android) {
				platform = "web"
			}
			if _, err := dsl.Parse("doc.yaml",
				[]byte("id: doc\nplatform: "+platform+"\nvars: {count: 3, total: 4}\nsteps:\n  - "+m[1]+"\n")); err != nil {
				t.Error(err)
			}
			checked++
		}
	}
	if checked < 60 {
		t.Errorf("%d steps were checked", checked)
	}
}
