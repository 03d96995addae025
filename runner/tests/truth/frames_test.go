package truth_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"testing"
	"unicode"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/runner/internal/testdevice"
)

// sink keeps the events of a case. Where TAPROOT_COLLECT_FRAMES names a folder, the recorded frames of cases are
// compressed into it: they become test data of runner/decide. All are decided again.
type sink struct {
	*runtest.Sink
	name string
}

func newSink(t *testing.T, name string) *sink {
	s := &sink{Sink: runtest.NewSink(t.TempDir()), name: name}
	s.Added = testdevice.DecidedAgain(t)
	return s
}

// Add collects recorded frames, and removes the file.
func (s *sink) Add(a event.Attachment, _ int, from string) error {
	s.Added(a, from)
	if dir := os.Getenv("TAPROOT_COLLECT_FRAMES"); dir != "" && path.Base(a.Path) == "frames.ndjson" {
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		zip := gzip.NewWriter(&out)
		if _, err := zip.Write(data); err != nil {
			return err
		}
		if err := zip.Close(); err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		file := filepath.Join(dir, fmt.Sprintf("%s-%x.ndjson.gz", s.name, sum[:3]))
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return os.Remove(from)
}

// fileName makes a name that a file can have.
func fileName(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return '-'
}
