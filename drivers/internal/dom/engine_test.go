package dom

import (
	"strings"
	"testing"
)

// TestEngineIncludesAllFiles checks that every file of the script is included, and that every included file exists.
func TestEngineIncludesAllFiles(t *testing.T) {
	files, err := scripts.ReadDir("script")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	included := map[string]bool{"engine.js": true, "watch.js": true, "openroots.js": true} // scripts of their own
	for _, f := range files {
		text, err := scripts.ReadFile("script/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "// include "); ok {
				included[name] = true
				if _, err := scripts.ReadFile("script/" + name); err != nil {
					t.Errorf("%s includes %v", f.Name(), err)
				}
			}
		}
	}
	for _, f := range files {
		if !included[f.Name()] {
			t.Errorf("nothing includes %s", f.Name())
		}
	}
}

// TestScriptsShareEventName checks that the script in the page's own world and the one that reads the page use the same
// name for their events.
func TestScriptsShareEventName(t *testing.T) {
	for _, script := range []string{Engine(), Watch()} {
		if !strings.Contains(script, "'"+secret()+"'") || strings.Contains(script, "@watch@") {
			t.Error("a script does not have the name")
		}
	}
}
