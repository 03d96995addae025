package toolchain

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// fakeDriver makes a driver folder with a Playwright that prints its arguments.
func fakeDriver(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), `it's "here"`)
	for name, text := range map[string]string{
		"package.json":      `{"version":"1.57.0"}`,
		"cli.js":            `console.log("all commands: " + process.argv.slice(2))`,
		"lib/cli/driver.js": `exports.runDriver = () => console.log("the driver")`,
	} {
		path := filepath.Join(dir, "package", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestQuickStartLoadsWhatIsAskedForAlone(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	h := System()
	h.CacheDir = t.TempDir()
	dir := h.quickStart(fakeDriver(t))
	for args, want := range map[string]string{
		"--version": "Version 1.57.0", "run-driver": "the driver", "show-trace x.zip": "all commands: show-trace,x.zip",
	} {
		out, err := exec.Command(node, append([]string{filepath.Join(dir, "package", "cli.js")},
			strings.Fields(args)...)...).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", args, got, err, want)
		}
	}
}

// TestCompiledDriverIsKept checks that a Node without a compile cache uses what an earlier process has compiled, and
// that what was changed since, or is broken, is compiled again.
func TestCompiledDriverIsKept(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	h := System()
	h.CacheDir = t.TempDir()
	driver := fakeDriver(t)
	lib := filepath.Join(driver, "package", "lib")
	module := func(name, text string) {
		if err := os.WriteFile(filepath.Join(lib, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	module("cli/driver.js", `exports.runDriver = async () => {
		const part = require('../part');
		console.log(part.word, this === exports, module.id === __filename, require('path').basename(__dirname), `+
		`require.resolve('../part') === part.file,
			Object.keys(require.cache).length > 1, require.main === process.mainModule, (await import('../late.mjs')).word);
	}`)
	module("part.js", `exports.word = 'before'; exports.file = __filename;`)
	module("late.mjs", `export const word = 'late';`)
	dir := filepath.Join(h.quickStart(driver), "package")
	// Taproot's own cache is used with each version of Node here.
	preload := filepath.Join(t.TempDir(), "old.js")
	const old = `require('module').enableCompileCache = undefined;
		const { Script } = require('vm'); let used = 0;
		require('vm').Script = class extends Script { constructor(text, o) { super(text, o); if (this.cachedDataRejected ` +
		`=== false) used++; } };
		process.on('exit', () => console.log(used));`
	if err := os.WriteFile(preload, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	starts := func(want string) {
		t.Helper()
		out, err := exec.Command(node, "-r", preload, filepath.Join(dir, "cli.js"), "run-driver").CombinedOutput()
		if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	const rest = " true true cli true true true late "
	starts("before" + rest + "0")
	starts("before" + rest + "1") // a module with import() is not cached
	module("part.js", `exports.word = 'behind'; exports.file = __filename;`)
	changed := time.Now().Add(time.Minute)
	if err := os.Chtimes(filepath.Join(lib, "part.js"), changed, changed); err != nil {
		t.Fatal(err)
	}
	starts("behind" + rest + "0")
	starts("behind" + rest + "1")
	kept := filepath.Join(dir, "compiled.bin")
	raw, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	for i, broken := range [][]byte{nil, raw[:len(raw)/2], append(slices.Clone(raw[:len(raw)-100]),
		make([]byte, 100)...)} {
		if err := os.WriteFile(kept, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Log("broken file ", i)
		starts("behind" + rest + "0")
		starts("behind" + rest + "1")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 5 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestDriverKeepsProfilesInAFolderOfItsOwn(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	h := System()
	h.CacheDir = t.TempDir()
	driver := fakeDriver(t)
	const keeps = `exports.runDriver = () => {
		const fs = require('fs'), dir = require('os').tmpdir();
		fs.mkdtempSync(dir + '/profile-');
		console.log(dir + ' ' + process.env.TMPDIR);
		process.stdin.on('end', () => process.exit()).resume();
	}`
	if err := os.WriteFile(filepath.Join(driver, "package", "lib", "cli", "driver.js"), []byte(keeps), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, filepath.Join(h.quickStart(driver), "package", "cli.js"), "run-driver")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	dir := BrowsersDir(cmd.Process.Pid)
	if line, err := bufio.NewReader(out).ReadString('\n'); line != dir+" "+os.Getenv("TMPDIR")+"\n" {
		t.Errorf("it prints %q, %v; its folder is %s", line, err, dir)
	}
	if kept, err := os.ReadDir(dir); err != nil || len(kept) != 1 {
		t.Errorf("in %s: %v, %v", dir, kept, err)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", dir, err)
	}
}

func TestQuickStartIsLeftOut(t *testing.T) {
	driver := fakeDriver(t)
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, cache := range map[string]string{"no cache": "", "a cache that is a file": blocked} {
		h := System()
		h.CacheDir = cache
		if dir := h.quickStart(driver); dir != driver {
			t.Errorf("%s: %s", name, dir)
		}
	}
	h := System()
	h.CacheDir = t.TempDir()
	other := t.TempDir() // a driver with another structure
	if dir := h.quickStart(other); dir != other {
		t.Errorf("another driver: %s", dir)
	}
}
