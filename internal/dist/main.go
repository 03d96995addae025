// Command dist builds what a release consists of: archives and Debian packages for each platform, the packages of npm
// that start the program (npx taproot), and a list of checksums.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	r := release{root: "."}
	only := flag.String("only", "", "build for one `PLATFORM`, such as linux/amd64, instead of all")
	flag.StringVar(&r.out, "out", "dist", "write to this `FOLDER`")
	flag.StringVar(&r.version, "version", "", "the `VERSION` (default: that of the tag of this commit, or a snapshot of the "+
		"first one in CHANGELOG.md)")
	flag.StringVar(&r.binaries, "binaries", "", "take the programs from this `FOLDER`, named taproot_linux_amd64 and so on, "+
		"instead of compiling them")
	flag.Parse()
	r.platforms = platforms()
	if *only != "" {
		system, arch, _ := strings.Cut(*only, "/")
		r.platforms = []platform{{system, arch}}
	}
	if err := errors.Join(r.describe(), r.build()); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// platform is a system and a processor, by Go's names.
type platform struct{ system, arch string }

// platforms are all that a release is made for.
func platforms() []platform {
	return []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"},
		{"windows", "amd64"}, {"windows", "arm64"}}
}

func (p platform) String() string { return p.system + "_" + p.arch }

// program is the name of the program's file.
func (p platform) program() string {
	if p.system == "windows" {
		return "taproot.exe"
	}
	return "taproot"
}

// release is a version of Taproot and where its files are written.
type release struct {
	root, out, binaries string
	version             string
	date                time.Time // of the commit; all files have it, so that two builds are equal
	platforms           []platform
	sums                []sum
}

var changes = regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)$`)

// describe sets the version and the date from the repository.
func (r *release) describe() error {
	if seconds, err := strconv.ParseInt(r.git("log", "-1", "--format=%ct"), 10, 64); err == nil {
		r.date = time.Unix(seconds, 0).UTC()
	}
	if r.version == "" {
		r.version = strings.TrimPrefix(r.git("describe", "--tags", "--exact-match"), "v")
	}
	if r.version != "" {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	next := changes.FindSubmatch(text)
	if next == nil {
		return errors.New("CHANGELOG.md has no version: add a heading such as \"## 0.1.0\", or write -version")
	}
	r.version = string(next[1]) + "-snapshot"
	return nil
}

// git returns the output of a git command, "" when it fails.
func (r *release) git(args ...string) string {
	out, err := exec.Command("git", append([]string{"-C", r.root}, args...)...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// build writes all files of the release.
func (r *release) build() error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	for _, p := range r.platforms {
		began := time.Now()
		program, err := r.program(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if err := r.pack(p, program); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		fmt.Printf("%s in %s\n", p, time.Since(began).Round(time.Second))
	}
	if err := r.npmLauncher(); err != nil {
		return fmt.Errorf("npm: %w", err)
	}
	return errors.Join(r.checksums(), os.RemoveAll(filepath.Join(r.out, "build")))
}

// program returns the program for a platform, compiled or taken from the folder of -binaries.
func (r *release) program(p platform) ([]byte, error) {
	if r.binaries != "" {
		return os.ReadFile(filepath.Join(r.binaries, "taproot_"+p.String()))
	}
	file := filepath.Join(r.out, "build", p.String(), p.program())
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", file, ".")
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.root, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.system, "GOARCH="+p.arch)
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// pack writes the files of one platform.
func (r *release) pack(p platform, program []byte) error {
	if err := r.archive(p, program); err != nil {
		return err
	}
	if p.system == "linux" {
		if err := r.debian(p, program); err != nil {
			return err
		}
	}
	return r.npmPlatform(p, program)
}
