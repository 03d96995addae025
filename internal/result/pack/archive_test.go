//go:build unix

package pack

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
)

func archive(t testing.TB, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Archive(dir, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func untar(t testing.TB, data []byte) map[string]string {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if !zip.ModTime.IsZero() || zip.Name != "" {
		t.Errorf("the archive tells %v %q", zip.ModTime, zip.Name)
	}
	in := tar.NewReader(zip)
	files := map[string]string{}
	last := ""
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name <= last {
			t.Errorf("%s after %s", h.Name, last)
		}
		last = h.Name
		if h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeDir || h.Uid != 0 || h.Uname != "" ||
			!h.ModTime.Equal(time.Unix(0, 0)) {
			t.Errorf("%+v", h)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name] = string(text)
	}
}

func TestArchive(t *testing.T) {
	t.Parallel()
	dir := wholePack(t)
	eventtest.Put(t, filepath.Join(dir, "artifacts", "日本語 🎉.txt"), "x")
	first := archive(t, dir)
	files := untar(t, first)
	want := []string{"login/", "login/artifacts/", "login/artifacts/metrics.json", "login/artifacts/日本語 🎉.txt",
		"login/events.ndjson", "login/logcat.txt",
		"login/manifest.json", "login/run.md", "login/screenshots/", "login/screenshots/01-launch.png", "login/summary.json"}
	var got []string
	for name := range files {
		got = append(got, name)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if data, err := os.ReadFile(filepath.Join(dir, event.SummaryFile)); err != nil ||
		files["login/summary.json"] != string(data) {
		t.Error("the summary is another")
	}
	// The same files, touched and copied, give the same bytes.
	if err := os.Chtimes(filepath.Join(dir, event.RunFile), time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "login")
	if err := os.CopyFS(other, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, archive(t, dir)) || !bytes.Equal(first, archive(t, other)) {
		t.Error("the bytes are others")
	}
}

func TestArchiveRefuses(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(dir string) error{
		"a link to a file": func(dir string) error {
			return os.Symlink("/etc/hostname", filepath.Join(dir, "artifacts", "x"))
		},
		"a link within":          func(dir string) error { return os.Symlink("run.md", filepath.Join(dir, "x.md")) },
		"a link to a folder":     func(dir string) error { return os.Symlink("/etc", filepath.Join(dir, "etc")) },
		"a pipe":                 func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600) },
		"no summary":             func(dir string) error { return os.Remove(filepath.Join(dir, event.SummaryFile)) },
		"what is not finished":   func(dir string) error { return os.Mkdir(filepath.Join(dir, event.WorkDir), 0o755) },
		"a name that is no text": func(dir string) error { return os.WriteFile(filepath.Join(dir, "a\xff"), nil, 0o600) },
		"a folder in a folder in…": func(dir string) error {
			return os.MkdirAll(filepath.Join(dir, strings.Repeat("a/", 20)),
				0o755)
		},
		"a file that is too large": func(dir string) error {
			return os.Truncate(filepath.Join(dir, event.LogcatFile),
				maxArchiveFile+1)
		},
	} {
		dir := wholePack(t)
		if err := harm(dir); err != nil {
			t.Fatal(name, err)
		}
		to := filepath.Join(t.TempDir(), "login.tar.gz")
		if err := ArchiveFile(dir, to); err == nil {
			t.Errorf("%s is taken", name)
		}
		if got := eventtest.Entries(t, filepath.Dir(to)); len(got) != 0 {
			t.Errorf("%s leaves %q", name, got)
		}
	}
	if err := Archive(filepath.Join(t.TempDir(), "none"), io.Discard); err == nil {
		t.Error("a pack that is not there")
	}
}

func TestArchiveFile(t *testing.T) {
	t.Parallel()
	dir := wholePack(t)
	to := filepath.Join(t.TempDir(), "login.tar.gz")
	if err := ArchiveFile(dir, to); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(to)
	if err != nil || !bytes.Equal(data, archive(t, dir)) {
		t.Error("the file is another", err)
	}
}

func TestNoteUpload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if list, err := ReadUploads(dir); err != nil || list != nil {
		t.Error(list, err)
	}
	for _, u := range []Uploaded{{Pack: "a", Host: "h", SHA256: "1"}, {Pack: "b", Host: "h"},
		{Pack: "a", Host: "h", SHA256: "2"}, {Pack: "a", Host: "other"}} {
		if err := NoteUpload(dir, u); err != nil {
			t.Fatal(err)
		}
	}
	list, err := ReadUploads(dir)
	if err != nil || len(list) != 3 || list[1].SHA256 != "2" {
		t.Errorf("%+v, %v", list, err)
	}
	eventtest.Put(t, filepath.Join(dir, uploadsFile), "x")
	if err := NoteUpload(dir, Uploaded{Pack: "a"}); err == nil {
		t.Error("a note that cannot be read was replaced")
	}
}
