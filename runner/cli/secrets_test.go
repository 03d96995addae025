package cli_test

import (
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretsAreNowhereInTheReport: typed, shown on the screen, wrong in an assertion, saved by a step, the value of a secret variable is
// in no file of the run and not on the terminal, neither as it is nor in base64.
func TestSecretsAreNowhereInTheReport(t *testing.T) {
	const secret = "Tr0ub4dor&3"
	l := newLab(t, 1)
	l.env = append(l.env, "APP_PASSWORD="+secret)
	l.write("secret.yaml", `
id: secret
platform: android
secrets: [PASSWORD, SHOWN]
vars:
  PASSWORD: ${APP_PASSWORD}
steps:
  - launch: {package: com.example.list, force: true}
  - tap: Form
  - tap: Note
  - input: ${PASSWORD}
  - hideKeyboard:
  - tap: Save
  - extract: {text: "Saved: (.+)", as: SHOWN}
  - log: it was ${SHOWN}
  - assert: {label: "Not ${PASSWORD}", timeoutMs: 500}
`)
	e := l.taproot("run", "secret.yaml")
	e.exits(t, 1)
	encoded := base64.RawStdEncoding.EncodeToString([]byte(secret))
	for what, text := range map[string]string{"stdout": e.stdout, "stderr": e.stderr} {
		if strings.Contains(text, secret) || strings.Contains(text, encoded) {
			t.Errorf("%s shows the secret: %s", what, text)
		}
	}
	files := 0
	err := filepath.WalkDir(l.reports, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) || strings.Contains(string(data), encoded) || strings.Contains(path, "Tr0ub") {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil || files < 10 {
		t.Fatalf("%d files, %v", files, err)
	}
	pack := l.packs()[0]
	has(t, "run.md", read(t, pack, "run.md"), "•••", "the test has secrets")
	if l.phones[0].Count("screenrecord") != 0 {
		t.Error("the phone was filmed")
	}
}

func TestBundleIsOneFileThatNeedsNoOther(t *testing.T) {
	l := newLab(t, 1)
	l.write("one.yaml", "id: one\nplatform: android\nsteps:\n  - launch: com.example.list\n  - assert: Catalogue\n")
	l.taproot("run", "one.yaml").exits(t, 0)
	e := l.taproot("report", "bundle", "latest/one")
	e.exits(t, 0)
	page := read(t, l.dir, "one.html")
	has(t, "the page", page, "data:image/png;base64,", "Catalogue")
	if strings.Contains(page, `src="screenshots/`) {
		t.Error("the page needs the pack's pictures")
	}
}
