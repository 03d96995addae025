package toolchain

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func archiveOf(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var buf bytes.Buffer
	zipped := gzip.NewWriter(&buf)
	w := tar.NewWriter(zipped)
	for _, h := range headers {
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		content := strings.Repeat("x", int(h.Size))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write([]byte(content)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestUntar(t *testing.T) {
	for _, c := range []struct {
		name    string
		headers []tar.Header
		budget  int64
		problem string
	}{
		{"plain", []tar.Header{{Name: "package/bin/node", Size: 3, Mode: 0o755},
			{Name: "package/a.js", Size: 1, Mode: 0o666}}, 1 << 20, ""},
		{"folder", []tar.Header{{Name: "package/lib/", Typeflag: tar.TypeDir, Mode: 0o755}}, 1 << 20, ""},
		{"dots", []tar.Header{{Name: "package/../../evil", Size: 1}}, 1 << 20, "leads out"},
		{"absolute", []tar.Header{{Name: "/etc/evil", Size: 1}}, 1 << 20, "leads out"},
		{"symbolic link", []tar.Header{{Name: "package/l", Typeflag: tar.TypeSymlink, Linkname: "/etc"}}, 1 << 20,
			"neither a file nor a folder"},
		{"hard link", []tar.Header{{Name: "package/l", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}}, 1 << 20,
			"neither a file nor a folder"},
		{"device", []tar.Header{{Name: "package/d", Typeflag: tar.TypeChar}}, 1 << 20, "neither a file nor a folder"},
		{"twice", []tar.Header{{Name: "a", Size: 1}, {Name: "a", Size: 1}}, 1 << 20, "exists"},
		{"too large", []tar.Header{{Name: "a", Size: 5 << 20}}, 1 << 20, "more than 1048576 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			err = untar(bytes.NewReader(archiveOf(t, c.headers...)), root, c.budget)
			if c.problem == "" && err != nil || c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)) {
				t.Fatalf("err = %v, want %q", err, c.problem)
			}
			if _, err := os.Lstat(filepath.Join(filepath.Dir(dir), "evil")); err == nil {
				t.Error("a file was written outside")
			}
		})
	}
}

func TestUntarKeepsExecutableBits(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "a.tgz")
	raw := archiveOf(t, tar.Header{Name: "package/bin/node", Size: 3, Mode: 0o4755},
		tar.Header{Name: "package/a.js", Size: 1, Mode: 0o666})
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unpack(file, dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"package/bin/node": 0o755, "package/a.js": 0o644} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode() != want {
			t.Errorf("%s: %v %v, want %v", name, info.Mode(), err, want)
		}
	}
}

func TestUntarRefusesCutAndTooManyFiles(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	raw := archiveOf(t, tar.Header{Name: "a", Size: 100_000})
	if err := untar(bytes.NewReader(raw[:len(raw)/2]), root, 1<<20); err == nil {
		t.Error("an incomplete archive was accepted")
	}
	var many []tar.Header
	for i := range maxEntries + 1 {
		many = append(many, tar.Header{Name: fmt.Sprintf("d%d/", i%10), Typeflag: tar.TypeDir, Mode: 0o755})
	}
	if err := untar(bytes.NewReader(archiveOf(t, many...)), root, maxUnpacked); err == nil ||
		!strings.Contains(err.Error(), "files") {
		t.Errorf("err = %v", err)
	}
}

func FuzzUntar(f *testing.F) {
	f.Add(archiveOf(f, tar.Header{Name: "package/a", Size: 3}))
	f.Add([]byte("no archive"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		outer := t.TempDir()
		dir := filepath.Join(outer, "in")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		// Hostile input may fail in any way, but it must not write outside.
		_ = untar(bytes.NewReader(raw), root, 1<<16)
		entries, err := os.ReadDir(outer)
		if err != nil || len(entries) != 1 {
			t.Errorf("something was written outside: %v %v", entries, err)
		}
	})
}
