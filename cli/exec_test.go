package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// execTest writes a test with these steps, which keeps SECRET out of the report.
func (l *lab) execTest(id, steps string) {
	l.t.Helper()
	l.write(id+".yaml", "id: "+id+"\nplatform: android\nvars: {SECRET: sesame-4711}\nsecrets: [SECRET]\nsteps:\n"+steps)
}

const seeds = `  - exec:
      run: [sh, -c, 'pwd; echo "$WHO knows $KEY"; echo oops >&2']
      cwd: sub
      env: {WHO: ada, KEY: "${SECRET}"}
      as: seed
  - assertTrue: seed.exit == 0 and seed.stderr == "oops" and seed.stdout endsWith "sub\nada knows sesame-4711"
  - exec: [sh, -c, "exit 0"]
`

// printed is what the programs of a test have printed, as its report has it.
func (l *lab) printed(id string) (text string) {
	l.t.Helper()
	runs := l.runs()
	files, err := filepath.Glob(filepath.Join(runs[len(runs)-1], id, "artifacts", "exec-*.txt"))
	if err != nil {
		l.t.Fatal(err)
	}
	for _, file := range files {
		text += read(l.t, file)
	}
	return text
}

// Programs run when the user allows it, and no file of the project can.
func TestExec(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	if err := os.Mkdir(filepath.Join(l.dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	l.execTest("seed", seeds)
	const refused = "exec steps are not allowed here: start the run with --allow-exec"
	l.write(".env", "TAPROOT_ALLOW_EXEC=true\n")
	e := l.taproot("run", ".")
	e.exits(t, 1)
	has(t, "stdout", e.stdout, refused)
	l.write("taproot.yaml", "allowExec: true\n")
	e = l.taproot("run", ".")
	e.exits(t, 2)
	has(t, "stderr", e.stderr, `taproot.yaml:1:1: unknown key "allowExec"`)
	l.write("taproot.yaml", "")
	l.taproot("run", ".", "--allow-exec").exits(t, 0)
	text := l.printed("seed")
	has(t, "the output", text, "ada knows •••", "oops")
	if strings.Contains(text, "sesame") {
		t.Errorf("the report shows the secret:\n%s", text)
	}
	before := l.env
	l.env = append(slices.Clone(before), "TAPROOT_ALLOW_EXEC=true")
	l.taproot("run", ".").exits(t, 0)
	// The user's own configuration file.
	own := filepath.Join(t.TempDir(), "config")
	file := filepath.Join(own, "taproot", "config.yaml")
	for _, c := range []struct {
		text string
		mode os.FileMode
		code int
		want string
	}{{"allowExec: true\n", 0o600, 0, ""}, {"allowExec: false\n", 0o600, 1, refused},
		{"allowExec: true\n", 0o666, 2, "others can write it"}, {"allowexec: true\n", 0o600, 2, "write allowExec: true"}} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, c.mode); err != nil {
			t.Fatal(err)
		}
		l.env = append(slices.Clone(before), "XDG_CONFIG_HOME="+own)
		e := l.taproot("run", ".")
		e.exits(t, c.code)
		has(t, c.text, e.stdout+e.stderr, c.want)
	}
	// One that the project brings.
	l.git("init", "-q")
	if err := os.MkdirAll(filepath.Join(l.dir, "home", "taproot"), 0o700); err != nil {
		t.Fatal(err)
	}
	l.write("home/taproot/config.yaml", "allowExec: true\n")
	l.env = append(slices.Clone(before), "XDG_CONFIG_HOME="+filepath.Join(l.dir, "home"))
	e = l.taproot("run", "seed.yaml")
	e.exits(t, 2)
	has(t, "stderr", e.stderr, "it is in the project, which cannot allow itself to run programs")
	l.quiet()
}

// A program that fails is a failure of the test; one that is not there, or does not end, an error. Its whole process
// group ends with it.
func TestExecEnds(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	for _, c := range []struct {
		steps  string
		result event.Result
		want   []string
	}{
		{"  - exec: {run: [sh, -c, 'echo no seeds >&2; exit 3']}\n", event.Fail,
			[]string{"sh ended with exit code 3", "no seeds"}},
		{"  - exec: {run: [sh, -c, 'kill -9 $$']}\n", event.Fail, []string{"a signal"}},
		{"  - exec: {run: [no-such-program-4711]}\n", event.Error,
			[]string{"there is no program \"no-such-program-4711\"\n"}},
		{"  - exec: {run: [sh], cwd: nowhere}\n", event.Error, []string{"there is no folder"}},
		{"  - exec: {run: [sh, -c, 'echo on it; sleep 4711 & sleep 4711'], timeout: 300ms}\n", event.Error,
			[]string{"sh did not end within 300ms", "on it"}},
		{"  - exec: {run: [sh, -c, 'trap \"\" TERM; sleep 4711 & wait'], timeout: 300ms}\n", event.Error,
			[]string{"did not end"}},
		{"  - exec: {run: [sh, -c, 'sleep 4711 & echo started']}\n", event.Pass, nil},
		{"  - exec: {run: [sh, -c, 'i=0; while [ $i -lt 40000 ]; do echo line $i of a long text of ${SECRET}; " +
			"i=$((i+1)); done'], as: all}\n  - assertTrue: len(all.stdout) < 1100000\n", event.Pass, nil},
	} {
		l.execTest("ends", c.steps)
		e := l.taproot("run", ".", "--allow-exec")
		if got := l.results()["ends"]; got != c.result {
			t.Errorf("%s: %s, want %s\n%s", c.steps, got, c.result, e.stdout)
		}
		has(t, c.steps, e.stdout, c.want...)
		if left := l.processes(); slices.ContainsFunc(left, func(p string) bool { return strings.Contains(p, "4711") }) {
			t.Errorf("%s leaves %q", c.steps, left)
		}
	}
	text := l.printed("ends")
	has(t, "the output", text, "line 0 of", "bytes are left out here", "line 39999 of a long text of •••")
	if strings.Contains(text, "sesame") || len(text) > 1<<20+200 {
		t.Errorf("the output has %d bytes, or the secret", len(text))
	}
	e := l.taproot("run", ".", "--allow-exec", "--hub", "http://127.0.0.1:9")
	e.exits(t, 2)
	has(t, "stderr", e.stderr, "--allow-exec")
	l.execTest("ends", "  - exec: make seed\n")
	e = l.taproot("validate")
	e.exits(t, 2)
	has(t, "stdout", e.stdout, `ends.yaml:6:11: "run" is a list of arguments, and there is no shell`,
		"write run: [make, seed]")
	l.quiet()
}

// A killed run leaves its program; the next run ends it.
func TestExecAfterKill(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.execTest("long", "  - exec: {run: [sh, -c, 'trap \"\" TERM; sleep 4712 & wait'], timeout: 10m}\n")
	l.execTest("short", "  - log: hello\n")
	runs := func() bool {
		return slices.ContainsFunc(l.processes(), func(p string) bool { return strings.Contains(p, "4712") })
	}
	c := l.start("taproot", "run", "long", "--allow-exec")
	eventually(t, "the program runs", runs)
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.cmd.Wait()
	if !runs() {
		t.Fatal("the program ended with the run: this test shows nothing")
	}
	has(t, "stderr", l.taproot("run", "short").stderr, "ended what a killed run had left running: sh")
	eventually(t, "no program is left", func() bool { return !runs() })
}

// The environment allows programs of suites in Go, in each process.
func TestExecUnderGinkgo(t *testing.T) {
	t.Parallel()
	l, program := goLab(t, 2)
	l.dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(l.dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	l.execTest("one", seeds)
	l.execTest("two", seeds)
	l.ginkgo(program, "android").exits(t, 1)
	l.env = append(l.env, "TAPROOT_ALLOW_EXEC=true")
	l.ginkgo(program, "android").exits(t, 0)
}

// No server and no host of a farm runs a program for its callers, whatever its environment says.
func TestExecIsNotForOthers(t *testing.T) {
	t.Parallel()
	const refused = "exec steps are not allowed here"
	l := newLab(t, 1)
	l.env = append(l.env, "TAPROOT_ALLOW_EXEC=true")
	l.execTest("own", "  - exec: [touch, done]\n")
	s := l.serve("--allow-start")
	own, _ := json.Marshal(map[string]any{"tests": []string{"own"}})
	sent, _ := json.Marshal(map[string]string{"yaml": "id: sent\nplatform: android\nsteps:\n  - exec: [touch, done]\n"})
	for _, body := range []string{string(own), string(sent)} {
		status, text := s.ask("POST", "/runs", body)
		var started struct{ ID string }
		if err := json.Unmarshal([]byte(text), &started); err != nil || status != 202 {
			t.Fatalf("%d %s", status, text)
		}
		eventually(t, "the run has ended", func() bool {
			_, text = s.ask("GET", "/runs/"+started.ID, "")
			return strings.Contains(text, `"state":"done"`) || strings.Contains(text, refused)
		})
		has(t, body, text, refused)
	}
	f := newFarm(t)
	f.host.env = append(f.host.env, "TAPROOT_ALLOW_EXEC=true")
	host := f.join("--token", f.token("--pool", "lab"), "--allow-private")
	defer f.leave(host)
	eventually(t, "the phones are there", func() bool { return f.device("SIM1") == "free" })
	away := newLab(t, 0)
	away.env = append(away.env, "TAPROOT_API_KEY="+f.key, "TAPROOT_ALLOW_EXEC=true")
	away.execTest("own", "  - exec: [touch, done]\n")
	e := away.taproot("run", "own", "--hub", f.serve.url)
	e.exits(t, 1)
	has(t, "stdout", e.stdout, refused)
}
