package runtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

const maxPackage = 64 << 20

// NPM returns one file of a published npm package that checks a format. npm fetches the package once, into the user's
// cache. If it cannot be fetched, the test fails: a format that was not checked must not count as valid.
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
		t.Fatalf("this test checks with the npm package %s, which npm could not fetch (it is needed once, and needs Node "+
			"and a network): %v\n%s", spec, err, said.Bytes())
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

// NPMInstall installs published npm packages with their dependencies, and returns the folder with node_modules. They
// are fetched once, into the user's cache, and none of their scripts is run. If they cannot be fetched, the test fails.
func NPMInstall(t testing.TB, specs ...string) string {
	t.Helper()
	return installed(t, strings.Join(specs, " "), func(fresh string) []string {
		return append([]string{"install", "--prefix", fresh}, specs...)
	})
}

// NPMLocked is NPMInstall for the package-lock.json in dir: exact versions, with their integrity checked by npm.
func NPMLocked(t testing.TB, dir string) string {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	return installed(t, string(files["package-lock.json"]), func(fresh string) []string {
		for name, data := range files {
			if err := os.WriteFile(filepath.Join(fresh, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return []string{"ci", "--prefix", fresh}
	})
}

// installed returns the folder in the cache for the packages; npm fills it once, with the arguments that prepare
// returns.
func installed(t testing.TB, what string, prepare func(fresh string) []string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(what))
	dir := filepath.Join(cache, "taproot", "npm", "installed-"+hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(dir + ".lock")
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	fresh := dir + ".new"
	if err := errors.Join(os.RemoveAll(fresh), os.MkdirAll(fresh, 0o755)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	args := append(prepare(fresh), "--silent", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd := exec.CommandContext(ctx, "npm", args...)
	cmd.WaitDelay = 5 * time.Second
	if said, err := cmd.CombinedOutput(); err != nil {
		if len(what) > 500 {
			what = what[:500] + "…"
		}
		t.Fatalf("this test checks with npm packages, which npm could not install (they are needed once, and need Node and "+
			"a network): npm %s: %v\n%s\nthey are: %s",
			strings.Join(args, " "), err, said, what)
	}
	if err := os.Rename(fresh, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}
