package jobs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/taproot-dev/taproot/internal/wholefile"
	"github.com/taproot-dev/taproot/reporters/pack"
)

// noteFile lies in the run's folder and says who asked for the run, so that the same request does not start it twice,
// also after this process was started anew.
const noteFile = "request.json"

type requestRecord struct {
	By     string `json:"by,omitempty"`
	Key    string `json:"key,omitempty"`    // hash of who asked, and of the idempotency key
	Digest string `json:"digest,omitempty"` // of what was asked for
}

func readNote(dir string) (n requestRecord) {
	if readJSON(filepath.Join(dir, noteFile), &n) != nil {
		return requestRecord{}
	}
	return n
}

func writeNote(dir string, n requestRecord) error {
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return wholefile.WriteFile(dir, noteFile, data)
}

// findNote looks among the runs for the one that a key began.
func findNote(folder, key string) (id string, n requestRecord, ok bool) {
	files, err := filepath.Glob(filepath.Join(folder, "*", noteFile))
	if err != nil {
		return "", requestRecord{}, false
	}
	slices.Sort(files)
	for _, file := range files {
		dir := filepath.Dir(file)
		if n := readNote(dir); n.Key == key && pack.IsRunName(filepath.Base(dir)) {
			return filepath.Base(dir), n, true
		}
	}
	return "", requestRecord{}, false
}

// hash is of texts, each with its end.
func hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}
