package jobs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// requestFile is a file in the run's folder with the client that requested the run. It prevents that the same request
// starts it twice, also after a restart of this process.
const requestFile = "request.json"

type requestRecord struct {
	Format string `json:"format"`
	By     string `json:"by,omitempty"`
	Key    string `json:"key,omitempty"`    // hash of the client and the idempotency key
	Digest string `json:"digest,omitempty"` // hash of the request
}

func readRequest(dir string) (n requestRecord) {
	if readJSON(filepath.Join(dir, requestFile), &n) != nil ||
		format.Check(requestFile, n.Format, format.Request) != nil {
		return requestRecord{}
	}
	return n
}

func writeRequest(dir string, n requestRecord) error {
	n.Format = format.Request
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return filetree.WriteFile(dir, requestFile, data)
}

// findRequest returns the run that a request with the key has started.
func findRequest(folder, key string) (id string, n requestRecord, ok bool) {
	files, err := filepath.Glob(filepath.Join(folder, "*", requestFile))
	if err != nil {
		return "", requestRecord{}, false
	}
	slices.Sort(files)
	for _, file := range files {
		dir := filepath.Dir(file)
		if n := readRequest(dir); n.Key == key && pack.IsRunName(filepath.Base(dir)) {
			return filepath.Base(dir), n, true
		}
	}
	return "", requestRecord{}, false
}

// hash hashes texts with their boundaries.
func hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}
