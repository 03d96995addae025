package runtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const maxPackage = 64 << 20

// NPM gives one file of a published npm package: what others wrote to check a format with. The package is fetched once, by npm, into
// the user's cache. Where it cannot be had, the test fails and says so: a format that nobody checked is not a checked one.
func NPM(t testing.TB, spec, file string) []byte {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "taproot", "npm")
	archive := filepath.Join(dir, strings.NewReplacer("@", "-", "/", "-").Replace(spec)+".tgz")
	if _, err := os.Stat(archive); err != nil {
		fetch(t, spec, dir, archive)
	}
	data, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	return fromTar(t, data, file)
}

func fetch(t testing.TB, spec, dir, archive string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	into := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "pack", "--silent", "--pack-destination", into, spec)
	cmd.WaitDelay = 5 * time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("this test checks with the npm package %s, which npm could not fetch (it is needed once, and needs Node and a network): %v\n%s", spec, err, said.Bytes())
	}
	got, err := filepath.Glob(filepath.Join(into, "*.tgz"))
	if err != nil || len(got) != 1 {
		t.Fatalf("npm pack %s left %q", spec, got)
	}
	data, err := os.ReadFile(got[0])
	if err == nil {
		err = os.WriteFile(archive+".new", data, 0o644)
	}
	if err == nil {
		err = os.Rename(archive+".new", archive)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func fromTar(t testing.TB, data []byte, file string) []byte {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	in := tar.NewReader(io.LimitReader(zip, maxPackage))
	for {
		h, err := in.Next()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if h.Name != file {
			continue
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
}
