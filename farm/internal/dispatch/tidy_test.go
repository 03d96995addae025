package dispatch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/farm/internal/queue"
	"github.com/taproot-dev/taproot/internal/blob"
	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/remote/archive"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tests makes an archive of one test.
func tests(t *testing.T, word string) (sum string, data []byte) {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a.yaml"),
		[]byte("id: a\nname: "+word+"\nplatform: android\nsteps:\n  - press: home\n"), 0o600))
	var b bytes.Buffer
	made, err := archive.Make(archive.Options{Dir: dir, Needs: plan.Needs{Folders: []string{dir}}}, &b)
	must(t, err)
	if s := sha256.Sum256(b.Bytes()); hex.EncodeToString(s[:]) != made.SHA256 {
		t.Fatal("another sum")
	}
	return made.SHA256, b.Bytes()
}

// TestTidy checks that unused archives and the leftovers of a hub that died are removed, and that archives that a run
// needs, or that are being uploaded again, stay.
func TestTidy(t *testing.T) {
	db, err := store.Open(t.Context(), storetest.SQLite(t))
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	_, _, err = db.Migrate(t.Context())
	must(t, err)
	folder := t.TempDir()
	bucket, err := blob.Open(folder, os.Getenv)
	must(t, err)
	at := time.Now()
	q := queue.New(db, func() time.Time { return at })
	d := &Dispatcher{o: Options{Queue: q, Bucket: bucket, Keep: func(_ context.Context, project string) (time.Duration,
		error) {
		switch project {
		case "gone":
			return 0, nil
		case "unknown":
			return 0, errors.New("the database does not respond")
		}
		return 24 * time.Hour, nil
	}}, files: archives{bucket: bucket, rows: q.Archives(), dir: t.TempDir(), used: map[string]time.Time{}}}
	sums, data := map[string]string{}, map[string][]byte{}
	at = time.Now().Add(-48 * time.Hour)
	for _, word := range []string{"old", "used", "again", "gone", "unknown", "read"} {
		project := "p"
		if word == "gone" || word == "unknown" {
			project = word
		}
		sums[word], data[word] = tests(t, word)
		must(t, d.files.put(t.Context(), project, sums[word], bytes.NewReader(data[word])))
	}
	must(t, q.StartRun(t.Context(), queue.Run{ID: "run", Project: "p", Archive: sums["used"]}))
	if err := q.StartRun(t.Context(), queue.Run{ID: "other", Project: "p", Archive: "nothing"}); !errors.Is(err,
		queue.ErrNoArchive) {
		t.Errorf("a run without its archive: %v", err)
	}
	b, err := d.files.part(t.Context(), "p", sums["used"], 0)
	if err != nil || !bytes.Equal(b.Bytes, data["used"]) {
		t.Errorf("%d bytes, %v", len(b.Bytes), err)
	}
	at = time.Now()
	has := func(project, word string) bool {
		t.Helper()
		is, err := d.files.has(t.Context(), project, sums[word])
		must(t, err)
		return is
	}
	if !has("p", "read") { // counts as a use
		t.Error("an archive was removed too early")
	}
	put := func(name string) {
		f, err := os.CreateTemp(t.TempDir(), "")
		must(t, err)
		must(t, errors.Join(bucket.Put(t.Context(), name, f), f.Close()))
	}
	put(archiveFolder + "p/left-over.tar.gz")
	put(runFolder("run") + "0-1.tar.gz")
	put(runFolder("run_forgotten") + "0-1.tar.gz")
	if err := d.Tidy(t.Context()); err == nil || !strings.Contains(err.Error(), "does not respond") {
		t.Errorf("a failing Keep: %v", err)
	}
	must(t, d.files.put(t.Context(), "p", sums["again"], bytes.NewReader(data["again"])))
	for word, want := range map[string]bool{"old": false, "used": true, "again": true, "read": true} {
		if has("p", word) != want {
			t.Errorf("%s exists: %t", word, !want)
		}
	}
	if has("gone", "gone") || !has("unknown", "unknown") {
		t.Error("the archive of a deleted project exists, or that of a project with a failing Keep is gone")
	}
	files, err := bucket.List(t.Context(), archiveFolder)
	must(t, err)
	if packs, err := bucket.List(t.Context(), runsFolder); err != nil ||
		!slices.Equal(packs, []string{runFolder("run") + "0-1.tar.gz"}) || len(files) != 4 {
		t.Errorf("what is left: %q %q %v", files, packs, err)
	}
	must(t, d.end(t.Context(), "run"))
	if packs, err := bucket.List(t.Context(), runsFolder); err != nil || len(packs) > 0 {
		t.Errorf("packs of a run that has ended: %q %v", packs, err)
	}
	if !has("p", "used") {
		t.Error("an archive was removed when its run ended")
	}
	// A cached archive is removed, and downloaded again when it is needed.
	must(t, d.files.tidy(time.Now().Add(time.Hour)))
	if left, err := os.ReadDir(d.files.dir); err != nil || len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
	f, err := d.files.open(t.Context(), "p", sums["used"])
	must(t, err)
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, data["used"]) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
