package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/testutil"
)

// built makes a release of programs that are scripts.
func built(t *testing.T) *release {
	t.Helper()
	binaries := t.TempDir()
	for _, p := range platforms() {
		script := "#!/bin/sh\necho \"taproot for " + p.String() + ": $*\"\nexit 3\n"
		if err := os.WriteFile(filepath.Join(binaries, "taproot_"+p.String()), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := &release{root: filepath.Join("..", ".."), out: t.TempDir(), binaries: binaries, version: "1.2.3-rc.1",
		date: time.Unix(1760000000, 0).UTC(), platforms: platforms()}
	if err := r.build(); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestBuild checks the files of a release, their contents and checksums, and that a second build is equal.
func TestBuild(t *testing.T) {
	t.Parallel()
	r := built(t)
	sums := read(t, r.out, "checksums.txt")
	if again := read(t, built(t).out, "checksums.txt"); !bytes.Equal(sums, again) {
		t.Errorf("two builds differ:\n%s\n%s", sums, again)
	}
	var names []string
	for line := range strings.Lines(string(sums)) {
		hex, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		names = append(names, name)
		if got := fmt.Sprintf("%x", sha256.Sum256(read(t, r.out, name))); got != hex {
			t.Errorf("%s: %s, not %s", name, got, hex)
		}
	}
	want := []string{
		"npm/taproot-dev-taproot-1.2.3-rc.1.tgz", "npm/taproot-dev-taproot-darwin-arm64-1.2.3-rc.1.tgz",
		"npm/taproot-dev-taproot-darwin-x64-1.2.3-rc.1.tgz", "npm/taproot-dev-taproot-linux-arm64-1.2.3-rc.1.tgz",
		"npm/taproot-dev-taproot-linux-x64-1.2.3-rc.1.tgz", "npm/taproot-dev-taproot-win32-arm64-1.2.3-rc.1.tgz",
		"npm/taproot-dev-taproot-win32-x64-1.2.3-rc.1.tgz", "taproot_darwin_amd64.tar.gz",
		"taproot_darwin_arm64.tar.gz", "taproot_linux_amd64.deb", "taproot_linux_amd64.tar.gz", "taproot_linux_arm64.deb",
		"taproot_linux_arm64.tar.gz", "taproot_windows_amd64.zip", "taproot_windows_arm64.zip",
	}
	if !slices.Equal(names, want) {
		t.Errorf("the files are %q", names)
	}
	program := "taproot for linux_arm64"
	if files := untar(t, read(t, r.out, "taproot_linux_arm64.tar.gz")); !strings.Contains(files["taproot"], program) ||
		!strings.Contains(files["LICENSE"], "Apache License") || len(files) != 4 {
		t.Errorf("the archive has %d files", len(files))
	}
	data := read(t, r.out, "taproot_windows_amd64.zip")
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil || z.File[0].Name != "taproot.exe" || len(z.File) != 4 {
		t.Errorf("%v, %v", z.File, err)
	}
}

// TestGoreleaser compares the names and the description of the Debian package with those of .goreleaser.yaml, which
// builds the same files for the releases on GitHub.
func TestGoreleaser(t *testing.T) {
	t.Parallel()
	text := string(read(t, "..", "..", ".goreleaser.yaml"))
	for _, part := range []string{`name_template: "{{ .ProjectName }}_{{ .Os }}_{{ .Arch }}"`, "goarch: [amd64, arm64]",
		"goos: [linux, darwin, windows]", "name_template: checksums.txt"} {
		if !strings.Contains(text, part) {
			t.Errorf(".goreleaser.yaml has no %s", part)
		}
	}
	for line := range strings.Lines(control) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "Maintainer", "Section", "Homepage":
			if want := strings.ToLower(key) + ": " + value; !strings.Contains(text, want) {
				t.Errorf(".goreleaser.yaml has no %q", want)
			}
		case "Recommends":
			if want := "recommends: [" + value + "]"; !strings.Contains(text, want) {
				t.Errorf(".goreleaser.yaml has no %q", want)
			}
		case "Description":
			if !strings.Contains(text, value) {
				t.Errorf(".goreleaser.yaml has no %q", value)
			}
		}
	}
}

// TestDebian reads the package with dpkg.
func TestDebian(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("dpkg-deb is not installed")
	}
	r := built(t)
	deb, into := filepath.Join(r.out, "taproot_linux_amd64.deb"), t.TempDir()
	about := run(t, "", "dpkg-deb", "--field", deb, "Package", "Version", "Architecture")
	if about != "Package: taproot\nVersion: 1.2.3~rc.1\nArchitecture: amd64\n" {
		t.Errorf("%s", about)
	}
	run(t, "", "dpkg-deb", "--extract", deb, into)
	if info, err := os.Stat(filepath.Join(into, "usr", "bin", "taproot")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info, err)
	}
	for _, name := range []string{"copyright", "examples/taproot.service"} {
		read(t, into, "usr", "share", "doc", "taproot", filepath.FromSlash(name))
	}
}

// TestNpm installs the packages with npm as a user does, and runs the program: its arguments, output and exit code are
// passed on. Without the package of the platform, the launcher says what to do.
func TestNpm(t *testing.T) {
	testutil.Leave(t, "TestBuild reads the packages")
	t.Parallel()
	for _, name := range []string{"npm", "npx"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(name + " is not installed")
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("the program of this test is a shell script")
	}
	r := built(t)
	npm := filepath.Join(r.out, "npm")
	host := platform{runtime.GOOS, runtime.GOARCH}
	both := []string{filepath.Join(npm, npmFile(npmName, r.version)), filepath.Join(npm, npmFile(npmPlatformName(host),
		r.version))}
	for i, want := range []string{"the package " + npmPlatformName(host) + " is not installed",
		"taproot for " + host.String() + ": run --tag smoke"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
		run(t, dir, "npm", append([]string{"install", "--offline", "--no-audit", "--no-fund"}, both[:i+1]...)...)
		cmd := exec.Command("npx", "--offline", "taproot", "run", "--tag", "smoke")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != []int{1, 3}[i] || !strings.Contains(string(out), want) {
			t.Errorf("%v: %s", err, out)
		}
	}
}

// TestDescribe takes the version from CHANGELOG.md where the commit has no tag.
func TestDescribe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := &release{root: dir}
	if err := r.describe(); err == nil {
		t.Error("no CHANGELOG.md, and no error")
	}
	changes := filepath.Join(dir, "CHANGELOG.md")
	for text, want := range map[string]string{"# Changes\n\n## 0.2.0\n\n## 0.1.0\n": "0.2.0-snapshot", "# Changes\n": ""} {
		if err := os.WriteFile(changes, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		r := &release{root: dir}
		if err := r.describe(); r.version != want || (err == nil) == (want == "") {
			t.Errorf("%q: %q, %v", text, r.version, err)
		}
	}
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func read(t *testing.T, elem ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// untar returns the files of a compressed tar file.
func untar(t *testing.T, data []byte) map[string]string {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for in := tar.NewReader(zip); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name] = string(text)
	}
}
