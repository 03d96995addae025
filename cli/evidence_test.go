package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPartOfTheFilm checks that startRecording and stopRecording cut a recording of their own.
func TestPartOfTheFilm(t *testing.T) {
	t.Parallel()
	l := recordingLab(t, 1)
	l.write("film.yaml", `
id: film
platform: android
steps:
  - launch: {package: com.example.list, force: true}
  - startRecording: checkout
  - tap: Payments
  - assert: Unpaid
  - sleep: 1s
  - stopRecording:
  - press: back
  - sleep: 1s
`)
	l.taproot("run", "film.yaml").exits(t, 0)
	pack := l.packs()[0]
	for _, name := range []string{"recording.mp4", "artifacts/checkout.mp4"} {
		data, err := os.ReadFile(filepath.Join(pack, filepath.FromSlash(name)))
		if err != nil || len(data) < 1000 || string(data[4:8]) != "ftyp" {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
	}
	has(t, "summary.json", read(t, pack, "summary.json"), `"checkout.mp4"`)
}

// TestUnmaskedEvidence checks that --unmasked-evidence records a test with secrets, and that texts are still masked.
func TestUnmaskedEvidence(t *testing.T) {
	t.Parallel()
	l := recordingLab(t, 1)
	l.env = append(l.env, "TAPROOT_UNMASKED_EVIDENCE=true")
	l.write("secret.yaml", `
id: secret
platform: android
secrets: [WORD]
vars: {WORD: Tr0ub4dor}
steps:
  - launch: {package: com.example.list, force: true}
  - log: it is ${WORD}
`)
	l.taproot("run", "secret.yaml").exits(t, 0)
	if l.phones[0].Count("screenrecord") == 0 {
		t.Error("the phone was not filmed")
	}
	if text := read(t, l.packs()[0], "run.md"); strings.Contains(text, "Tr0ub4dor") {
		t.Error("run.md shows the secret")
	}
}
