package runs

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

const uploadDoc = `Takes the archive of one report pack, as taproot report pack writes it: multipart/form-data with the
file in the part "pack". The archive is unpacked to a temporary folder, checked and stored as a run of its own. A pack
that exists already is not stored again: then the response is 200.`

// uploaded is a stored pack.
type uploaded struct {
	Run    string `json:"run" example:"2026-03-04T05-06-07"`
	Pack   string `json:"pack" example:"login"`
	Digest string `json:"digest" doc:"Of the names and contents of its files."`
	URL    string `json:"url" doc:"Path of the pack." example:"/reports/2026-03-04T05-06-07/login"`
}

// The names of the parts that contain an archive.
const (
	packPart  = "pack"
	testsPart = "tests"
)

// upload reads the archive as it arrives; it is never in memory as a whole.
func (s *Runs) upload(w http.ResponseWriter, r *http.Request) error {
	return s.o.Uploads.Part(w, r, packPart, func(ctx context.Context, _ string, archive io.Reader) error {
		stored, err := s.store.Put(ctx, archive)
		if err == nil && !(stored.Known && s.shared != nil && s.shared.Published(stored.Run)) {
			err = s.publish(ctx, stored.Run)
		}
		if err != nil {
			return err
		}
		status := http.StatusCreated
		if stored.Known {
			status = http.StatusOK
		}
		out := uploaded{stored.Run, stored.Pack, stored.Digest, "/reports/" + stored.Run + "/" + stored.Pack}
		w.Header().Set("Location", out.URL)
		rest.WriteJSON(w, status, out)
		return nil
	})
}

const (
	publishLimit = 10 * time.Minute
	// fileAge is how old the list of runs from the bucket may be when a file of a local run is read: a page requests
	// many files at once.
	fileAge = time.Second
)

// publish copies a run to the bucket for the other servers.
func (s *reports) publish(ctx context.Context, run string) error {
	if s.shared == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishLimit)
	defer cancel()
	return s.shared.Publish(ctx, run)
}

func (s *reports) publishEnded(run string) error { return s.publish(context.Background(), run) }

// shares are the scopes of what servers share.
var shares = []string{rest.ReadRuns, rest.WriteRuns, rest.ReadReports, rest.WriteReports}

// Fetch downloads what other servers have published, before a request for runs or reports is handled.
func (s *Runs) Fetch(r *http.Request, scope string) error {
	if s.shared == nil || !slices.Contains(shares, scope) {
		return nil
	}
	run, file, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/reports/"), "/")
	if r.Method == http.MethodPost || r.Method == http.MethodDelete || file == "" || !pack.IsRunName(run) {
		return s.shared.Sync(r.Context())
	}
	if _, err := os.Lstat(filepath.Join(s.o.Sandbox.Config.Reports, run)); err != nil {
		return s.shared.Sync(r.Context())
	}
	if err := s.shared.SyncSince(r.Context(), fileAge); err != nil {
		s.o.Log.WarnContext(r.Context(), "cannot check whether a report was deleted", "run", run, "error", err)
	}
	return nil
}
