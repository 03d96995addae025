package archive_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/runner/internal/archive"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

func lay(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// project makes a typical project, with many files that no test needs.
func project(t *testing.T) string {
	dir := t.TempDir()
	lay(t, dir, map[string]string{
		"go.mod":              "module x",
		"main.go":             "package main",
		"apps/shop.apk":       "apk",
		"apps/other.apk":      "not named",
		"pages/index.html":    "<script src=app.js></script>",
		"pages/app.js":        "1",
		"suites/taproot.yaml": "vars:\n  HOST: example.com\n",
		"suites/shop/a.yaml": "id: a\nplatform: android\nvars:\n  USER: ${env.SHOP_USER}\nsteps:\n  - install: " +
			"../../apps/shop.apk\n  - run: {file: ../flows/login.yaml, block: login}\n",
		"suites/shop/b.yaml": "id: b\nplatform: web\ndata: rows.csv\nsteps:\n  - openBrowser: " +
			"../../pages/index.html\n",
		"suites/shop/rows.csv": "n\n1\n2\n",
		"suites/flows/login.yaml": "blocks:\n  login:\n    vars:\n      PIN: ${env.SHOP_PIN}\n    steps:\n      - " +
			"input: ${PIN}\n",
		"suites/shop/baselines/a.png":        "png",
		"suites/shop/.env":                   "TOKEN=1",
		"suites/shop/server.key":             "secret",
		"suites/shop/node_modules/x/y.js":    "no",
		"suites/reports/2026/a/summary.json": "{}",
	})
	if err := os.Chmod(filepath.Join(dir, "apps/shop.apk"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "suites/shop/outside.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("rows.csv", filepath.Join(dir, "suites/shop/link.csv")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func planned(t *testing.T, dir string) (*plan.Plan, plan.Needs) {
	t.Helper()
	var mu sync.Mutex
	var read []string
	p, err := plan.Build(plan.Options{Dir: dir, Args: []string{filepath.Join(dir, "suites")}, Files: true,
		Env:   func(string) (string, bool) { return "x", true },
		Reads: func(file string) { mu.Lock(); defer mu.Unlock(); read = append(read, file) }})
	if err != nil {
		t.Fatal(err)
	}
	needs, err := p.Needs(dir, read)
	if err != nil {
		t.Fatal(err)
	}
	return p, needs
}

func make1(t *testing.T, dir string) (archive.Made, []byte) {
	t.Helper()
	_, needs := planned(t, dir)
	var b bytes.Buffer
	made, err := archive.Make(archive.Options{Dir: dir, Needs: needs,
		Skip: []string{filepath.Join(dir, "suites", "reports")}}, &b)
	if err != nil {
		t.Fatal(err)
	}
	return made, b.Bytes()
}

func names(t *testing.T, data []byte) (list []string) {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for in := tar.NewReader(zip); ; {
		h, err := in.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, h.Name)
	}
}

// TestArchiveHoldsTestsAsTheyWereRead covers a test that is not a file, and one with a file that has changed since.
func TestArchiveHoldsTestsAsTheyWereRead(t *testing.T) {
	dir := t.TempDir()
	const sent, read = "id: sent\nplatform: android\nsteps:\n  - run: a.yaml\n",
		"id: a\nplatform: android\nsteps:\n  - press: home"
	lay(t, dir, map[string]string{"a.yaml": read, "b.yaml": "id: b\nplatform: android\nsteps:\n  - press: back\n"})
	p, err := plan.Build(plan.Options{Dir: dir, IDs: []string{"a"}, Inline: []plan.Source{
		{Name: "request.yaml", Text: []byte(sent)}}})
	if err != nil {
		t.Fatal(err)
	}
	needs, err := p.Needs(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lay(t, dir, map[string]string{"a.yaml": "not a test any more"})
	var b bytes.Buffer
	made, err := archive.Make(archive.Options{Dir: dir, Needs: needs}, &b)
	if err != nil {
		t.Fatal(err)
	}
	laid := t.TempDir()
	if err := upload.Unpack(t.Context(), laid, &b, archive.Limits); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.yaml": read, "request.yaml": sent} {
		if got, err := os.ReadFile(filepath.Join(laid, made.Dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, c := range p.Cases {
		found, err := plan.RefOf(c).Find(plan.Options{Dir: filepath.Join(laid, made.Dir)})
		if err != nil || found.Test.ID != c.Test.ID || found.Pack != c.Pack {
			t.Errorf("%+v %v", found, err)
		}
	}
}

// TestArchiveHoldsWhatTestsNeed checks that the archive contains nothing else, and depends on the content of the files
// only, not on their folder.
func TestArchiveHoldsWhatTestsNeed(t *testing.T) {
	dir := project(t)
	made, data := make1(t, dir)
	want := []string{"apps/shop.apk", "pages/app.js", "pages/index.html", "suites/flows/login.yaml", "suites/shop/a.yaml",
		"suites/shop/b.yaml", "suites/shop/baselines/a.png",
		"suites/shop/link.csv", "suites/shop/rows.csv", "suites/taproot.yaml"}
	if got := names(t, data); !slices.Equal(got, want) || made.Dir != "." {
		t.Errorf("%q\n%q\n%s", got, want, made.Dir)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != made.SHA256 || made.Bytes != int64(len(data)) {
		t.Errorf("%+v", made)
	}
	other := project(t)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(other, "apps/shop.apk"), old, old); err != nil {
		t.Fatal(err)
	}
	if again, _ := make1(t, other); again.SHA256 != made.SHA256 {
		t.Error("the same files make another archive")
	}
	lay(t, other, map[string]string{"apps/shop.apk": "apk 2"})
	if again, _ := make1(t, other); again.SHA256 == made.SHA256 {
		t.Error("other files make the same archive")
	}
}

// hub returns archives to hosts.
type hub struct {
	data  map[string][]byte
	asked atomic.Int64
	wait  chan struct{}
}

func (h *hub) fetch(_ context.Context, sum string) (io.ReadCloser, error) {
	h.asked.Add(1)
	if h.wait != nil {
		<-h.wait
	}
	data, ok := h.data[sum]
	if !ok {
		return nil, errors.New("the hub has no such archive")
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// TestNamesThatNoHostHas checks that files with names that hosts refuse are left out, and that one that a step names is
// an error.
func TestNamesThatNoHostHas(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the disks of other systems have no such names")
	}
	dir := t.TempDir()
	lay(t, dir, map[string]string{"go.mod": "module x",
		"suites/a.yaml": "id: a\nplatform: android\ndata: rows.csv\nsteps:\n  - press: home\n", "suites/rows.csv": "n\n1\n",
		"suites/ROWS.csv":      "no",
		"suites/line\nend.txt": "no", "suites/back\\slash.txt": "no", "suites/dot. ": "no", "suites/Pages/x.html": "yes",
		"suites/pages": "no"})
	made, data := make1(t, dir)
	if list := names(t, data); !slices.Equal(list, []string{"suites/Pages/x.html", "suites/a.yaml", "suites/rows.csv"}) {
		t.Errorf("%q", list)
	}
	if err := archive.Check(t.Context(), bytes.NewReader(data), made.SHA256); err != nil {
		t.Error(err)
	}
	_, needs := planned(t, dir)
	needs.Files = append(needs.Files, filepath.Join(dir, "suites", "dot. "))
	if _, err := archive.Make(archive.Options{Dir: dir, Needs: needs}, io.Discard); err == nil ||
		!strings.Contains(err.Error(), "rename it") {
		t.Errorf("a file that a step names: %v", err)
	}
}

// TestHostFindsTheCasesAgain checks that a host finds cases in the extracted archive by place, platform, browser
// and row.
func TestHostFindsTheCasesAgain(t *testing.T) {
	dir := project(t)
	p, _ := planned(t, dir)
	made, data := make1(t, dir)
	h := &hub{data: map[string][]byte{made.SHA256: data}}
	c, err := archive.NewCache(t.TempDir(), 1<<20, h.fetch)
	if err != nil {
		t.Fatal(err)
	}
	at, release, err := c.Open(t.Context(), "run-1", made.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if info, err := os.Stat(filepath.Join(at, "apps/shop.apk")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("what may be run there may not be run here: %v %v", info, err)
	}
	if len(p.Cases) != 3 {
		t.Fatal(len(p.Cases))
	}
	for _, want := range p.Cases {
		want.Pack += "--attempt-2"
		ref := plan.RefOf(want)
		got, err := ref.Find(plan.Options{Dir: filepath.Join(at, made.Dir), Env: func(string) (string, bool) {
			return "x", true
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got.Pack != want.Pack || got.Test.ID != want.Test.ID || got.Test.Pos != want.Test.Pos || got.Row.N != want.Row.N ||
			got.Platform != want.Platform || got.Browser != want.Browser {
			t.Errorf("%+v is not %+v", got, want)
		}
	}
	if _, err := (plan.Ref{File: "suites/shop/a.yaml", ID: "a", Pack: "a", Line: 7, Platform: "android"}).Find(
		plan.Options{Dir: at, Env: func(string) (string, bool) { return "x", true }}); err == nil {
		t.Error("a test was found that does not exist")
	}
	if _, err := (plan.Ref{File: "../../etc/passwd", ID: "a", Pack: "a", Line: 1}).Find(plan.Options{
		Dir: at}); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("a file outside was read: %v", err)
	}
}

func TestCacheFetchesOnceAndIsBounded(t *testing.T) {
	h := &hub{data: map[string][]byte{}, wait: make(chan struct{})}
	var sums []string
	for i := range 5 {
		dir := t.TempDir()
		lay(t, dir, map[string]string{"suites/a.yaml": "id: a\nplatform: android\nsteps:\n  - tap: x\n",
			"suites/big.bin": strings.Repeat(fmt.Sprint(i), 100_000)})
		made, data := make1(t, dir)
		h.data[made.SHA256] = data
		sums = append(sums, made.SHA256)
	}
	folder := t.TempDir()
	c, err := archive.NewCache(folder, 250_000, h.fetch)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	dirs, releases := make([]string, 20), make([]func(), 20)
	for i := range dirs {
		all.Go(func() {
			at, release, err := c.Open(t.Context(), fmt.Sprintf("run-%d", i%2), sums[0])
			if err != nil {
				t.Error(err)
				return
			}
			dirs[i], releases[i] = at, release
		})
	}
	close(h.wait)
	all.Wait()
	if t.Failed() {
		return
	}
	for _, release := range releases { // an unused folder may be removed, so all keep theirs until the last has it
		release()
	}
	if n := h.asked.Load(); n > 2 || dirs[0] != dirs[2] || dirs[0] == dirs[1] {
		t.Errorf("fetched %d times; %q", n, dirs[:3])
	}
	held, release, err := c.Open(t.Context(), "run-held", sums[1])
	if err != nil {
		t.Fatal(err)
	}
	for i, sum := range sums {
		_, release, err := c.Open(t.Context(), fmt.Sprint(i), sum)
		if err != nil {
			t.Fatal(err)
		}
		release()
		if c.Bytes() > 360_000 { // the limit, and the folder that is in use
			t.Errorf("the cache has %d bytes", c.Bytes())
		}
	}
	if _, err := os.Stat(filepath.Join(held, "suites", "big.bin")); err != nil {
		t.Errorf("the folder of a running case was removed: %v", err)
	}
	release()
	if c.Bytes() > 250_000 {
		t.Errorf("%d bytes", c.Bytes())
	}
	again, err := archive.NewCache(folder, 250_000, h.fetch)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Join(folder, "runs")); err != nil || len(left) > 0 || again.Bytes() == 0 {
		t.Errorf("%d folders of runs that ended, %d bytes of archives, %v", len(left), again.Bytes(), err)
	}
}

// TestCacheOfAFullDisk checks that the cache counts the disk usage of small files, and that everything except what is
// in use is removed when the disk is full.
func TestCacheOfAFullDisk(t *testing.T) {
	h := &hub{data: map[string][]byte{}, wait: make(chan struct{})}
	close(h.wait)
	dir, files := t.TempDir(), map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("suites/%d.yaml", i)] = fmt.Sprintf("id: a%d\nplatform: android\nsteps:\n  - tap: x\n", i)
	}
	lay(t, dir, files)
	made, data := make1(t, dir)
	h.data[made.SHA256] = data
	c, err := archive.NewCache(t.TempDir(), 1<<30, h.fetch)
	if err != nil {
		t.Fatal(err)
	}
	held, release, err := c.Open(t.Context(), "run-held", made.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	one := c.Bytes()
	if one < 30*4096 {
		t.Errorf("30 files take %d bytes of the disk", one)
	}
	idle, done, err := c.Open(t.Context(), "run-idle", made.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	done()
	c.Clear()
	if _, err := os.Stat(idle); !os.IsNotExist(err) || c.Bytes() != one {
		t.Errorf("%d bytes are left, of %d that are in use; %v", c.Bytes(), one, err)
	}
	if _, err := os.Stat(filepath.Join(held, "suites", "1.yaml")); err != nil {
		t.Errorf("the folder of a running case was removed: %v", err)
	}
	release()
	c.Clear()
	if c.Bytes() != 0 {
		t.Errorf("%d bytes are left", c.Bytes())
	}
}

// TestHostileArchivesAreRefused covers the hub, which only checks archives, and the host, which extracts them.
func TestHostileArchivesAreRefused(t *testing.T) {
	pack := func(headers ...*tar.Header) []byte {
		var b bytes.Buffer
		zip := gzip.NewWriter(&b)
		out := tar.NewWriter(zip)
		for _, h := range headers {
			if err := out.WriteHeader(h); err != nil {
				t.Fatal(err)
			}
			if _, err := out.Write(make([]byte, h.Size)); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(out.Close(), zip.Close()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	file := func(name string, n int64) *tar.Header {
		return &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: n, Mode: 0o644}
	}
	good := pack(file("a.yaml", 3))
	for name, data := range map[string][]byte{
		"climbs":   pack(file("../a.yaml", 1)),
		"absolute": pack(file("/etc/passwd", 1)),
		"link":     pack(&tar.Header{Typeflag: tar.TypeSymlink, Name: "a", Linkname: "/etc"}),
		"device":   pack(&tar.Header{Typeflag: tar.TypeChar, Name: "a"}),
		"twice":    pack(file("a", 1), file("A", 1)),
		"bomb":     pack(file("a", 64<<20)),
		"both":     pack(file("a", 1), file("a/b", 1)),
		"other":    pack(file("a/b", 1), file("A", 1)),
		"cut":      good[:len(good)-9],
		"text":     []byte("hello"),
	} {
		var refused *upload.Refused
		var large *upload.TooLarge
		if err := archive.Check(t.Context(), bytes.NewReader(data), ""); !errors.As(err, &refused) &&
			!errors.As(err, &large) {
			t.Errorf("%s: the hub accepts it: %v", name, err)
		}
		sum := sha256.Sum256(data)
		text := hex.EncodeToString(sum[:])
		dir := t.TempDir()
		c, err := archive.NewCache(dir, 1<<20, (&hub{data: map[string][]byte{text: data}}).fetch)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Open(t.Context(), "run", text); !errors.As(err, &refused) && !errors.As(err, &large) {
			t.Errorf("%s: the host accepts it: %v", name, err)
		}
		if left, _ := os.ReadDir(filepath.Join(dir, "runs")); len(left) > 0 {
			t.Errorf("%s: something is left", name)
		}
	}
	git := pack(file(".git/config", 1), file("a.yaml", 3)) // the host itself marks the root of the tests with .git
	sum := sha256.Sum256(git)
	own, err := archive.NewCache(t.TempDir(), 1<<20,
		(&hub{data: map[string][]byte{hex.EncodeToString(sum[:]): git}}).fetch)
	if err != nil {
		t.Fatal(err)
	}
	var refused *upload.Refused
	if _, _, err := own.Open(t.Context(), "run", hex.EncodeToString(sum[:])); !errors.As(err, &refused) {
		t.Errorf("a .git of its own: %v", err)
	}
	sum = sha256.Sum256(good)
	if err := archive.Check(t.Context(), bytes.NewReader(good), hex.EncodeToString(sum[:])); err != nil {
		t.Error(err)
	}
	if err := archive.Check(t.Context(), bytes.NewReader(good), strings.Repeat("0", 64)); !errors.As(err, &refused) {
		t.Errorf("another sum: %v", err)
	}
	c, err := archive.NewCache(t.TempDir(), 1<<20, (&hub{data: map[string][]byte{strings.Repeat("0", 64): good}}).fetch)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Open(t.Context(), "run", strings.Repeat("0", 64)); !errors.As(err, &refused) {
		t.Errorf("an archive with another name: %v", err)
	}
}
