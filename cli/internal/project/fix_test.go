package project

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const (
	oldWords = "# a flow of another tool\nid: a\nplatform: web\nsteps:\n  - goto: \"https://example.com\"   # first\n" +
		"  - click:   Buy\n"
	newWords = "# a flow of another tool\nid: a\nplatform: web\nsteps:\n" +
		"  - openBrowser: \"https://example.com\"   # first\n  - tap:   Buy\n"
)

// TestFmtFix replaces words and formats nothing.
func TestFmtFix(t *testing.T) {
	t.Parallel()
	dir, out, errs, code := tool(t, FmtCommand, map[string]string{"suites/a.yaml": oldWords, "suites/b.yaml": "id:   b\n"},
		"--fix")
	if got := readText(t, dir, "suites/a.yaml"); code != 0 || got != newWords || errs != "" ||
		out != filepath.FromSlash("suites/a.yaml")+": 2 steps\n" {
		t.Errorf("%d %q %q\n%s", code, out, errs, got)
	}
	if got := readText(t, dir, "suites/b.yaml"); got != "id:   b\n" {
		t.Errorf("a file without such words is %q", got)
	}
}

func TestFmtFixLists(t *testing.T) {
	t.Parallel()
	dir, out, _, code := tool(t, FmtCommand, map[string]string{"suites/a.yaml": oldWords, "suites/b.yaml": newWords},
		"--fix", "-l")
	if got := readText(t, dir, "suites/a.yaml"); code != 1 || got != oldWords ||
		out != filepath.FromSlash("suites/a.yaml")+"\n" {
		t.Errorf("%d %q\n%s", code, out, got)
	}
	dir, out, _, code = tool(t, FmtCommand, map[string]string{"suites/a.yaml": oldWords}, "--fix", "-w=false")
	if got := readText(t, dir, "suites/a.yaml"); code != 0 || got != oldWords || out != newWords {
		t.Errorf("%d %q\n%s", code, out, got)
	}
	if _, out, _, code = tool(t, FmtCommand, map[string]string{"stdin": oldWords}, "--fix", "-"); code != 0 ||
		out != newWords {
		t.Errorf("%d %q", code, out)
	}
}

// TestFmtFixLeaves names what it cannot translate, and still writes the rest.
func TestFmtFixLeaves(t *testing.T) {
	t.Parallel()
	const flow = "appId: a\n---\n- tapOn: A\n"
	dir, out, errs, code := tool(t, FmtCommand, map[string]string{"suites/a.yaml": oldWords + "  - expect: Cart\n",
		"suites/flow.yaml": flow, "suites/none.yaml": "steps: [\n"}, "--fix")
	if got := readText(t, dir, "suites/a.yaml"); got != newWords+"  - expect: Cart\n" {
		t.Errorf("%s", got)
	}
	if got := readText(t, dir, "suites/flow.yaml"); got != flow {
		t.Errorf("the flow is %s", got)
	}
	for _, part := range []string{`a.yaml:7:5: "expect" is a word of Playwright`, "    - assert: Cart\n",
		"1 refused word left", "flow.yaml is a flow of Maestro", "none.yaml:"} {
		if !strings.Contains(errs, part) {
			t.Errorf("%q is not in\n%s", part, errs)
		}
	}
	if code != 2 || !strings.Contains(out, "2 steps") {
		t.Errorf("%d %q", code, out)
	}
	_, _, _, code = tool(t, FmtCommand,
		map[string]string{"suites/a.yaml": "id: a\nplatform: web\nsteps:\n  - expect: A\n"}, "--fix")
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
}

// TestFmtFixOfSpecialFiles keeps links, and leaves read-only files alone.
func TestFmtFixOfSpecialFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links and modes are those of Unix")
	}
	dir := t.TempDir()
	write := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(oldWords), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	fixed, target, link := write("fixed.yaml", 0o444), write("target.txt", 0o640), filepath.Join(dir, "link.yaml")
	if err := os.Symlink("target.txt", link); err != nil {
		t.Fatal(err)
	}
	_, _, errs, code := tool(t, FmtCommand, nil, "--fix", fixed, link)
	if code != 2 || !strings.Contains(errs, "fixed.yaml: the file is read-only") {
		t.Errorf("%d %s", code, errs)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	info, err := os.Stat(target)
	if err != nil || info.Mode().Perm() != 0o640 || readText(t, dir, "target.txt") != newWords ||
		readText(t, dir, "fixed.yaml") != oldWords {
		t.Errorf("%v %v", info.Mode(), err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 3 {
		t.Errorf("files are left: %v, %v", files, err)
	}
}

func readText(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
