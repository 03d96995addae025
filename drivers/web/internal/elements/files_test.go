package elements

import (
	"strings"
	"testing"
)

func TestSafeNames(t *testing.T) {
	for name, want := range map[string]string{
		"a.csv": "a.csv", "../../etc/passwd": "passwd", `..\x.txt`: "x.txt", "..": "download", "": "download",
		"a\x00b": "a_b",
		"a:b|c":  "a_b_c", " .hidden ": "hidden", "ü.txt": "ü.txt", strings.Repeat("x", 400) + ".csv": strings.Repeat("x",
			146) + ".csv",
		"a\u202egpj.exe": "a_gpj.exe",
	} {
		if got := safeName(name); got != want {
			t.Errorf("%q becomes %q", name, got)
		}
	}
}
