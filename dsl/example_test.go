package dsl_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
)

func ExampleParse() {
	tests, err := dsl.Parse("login.yaml",
		[]byte("id: login\nplatform: web\nsteps:\n  - openBrowser: https://example.com\n  - tap: Sign in\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tests[0].ID, tests[0].Platform)

	_, err = dsl.Parse("login.yaml", []byte("id: login\nplatform: web\nsteps:\n  - tapp: Sign in\n"))
	fmt.Println(err)
	// Output:
	// login web
	// login.yaml:4:5: unknown action "tapp"
	//   4 |   - tapp: Sign in
	//           ^^^^ did you mean "tap"?
}

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
			if !def.On(dsl.Android) || strings.Contains(m[1], "css:") {
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
