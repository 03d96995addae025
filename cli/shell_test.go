package cli_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/cli"
	"github.com/taproot-dev/taproot/cli/internal/shell"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// TestUnknownFlags checks that an unknown flag of each action is rejected before a session is started, with a hint.
func TestUnknownFlags(t *testing.T) {
	t.Parallel()
	for _, def := range dsl.Vocabulary() {
		if !cli.IsWord(def) {
			continue
		}
		err := cli.CheckLine([]string{shell.Kebab(def.Name), "--timeout-ns=1"})
		if err == nil || !strings.Contains(err.Error(), "timeout-ms") {
			t.Errorf("%s with a wrong flag: %v", def.Name, err)
		}
	}
}

// command runs the program and returns its output.
func (l *lab) command(code int, args ...string) string {
	l.t.Helper()
	got := l.taproot(args...)
	if got.code != code {
		l.t.Errorf("taproot %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got.code, code, got.stdout, got.stderr)
	}
	return got.stdout + got.stderr
}

// TestShellOnAPhone signs in with single commands and saves a test that passes. A killed background process is
// reported, and nothing hangs.
func TestShellOnAPhone(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	t.Cleanup(func() { l.command(0, "close", "--all") })
	said := func(text string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
	}
	said(l.command(3, "tap", "Sign in", "--timeout-ms", "300", "--device", "nobody"), "nobody")
	said(l.command(0, "open", "com.example.login", "--json"), "ok: launch",
		`"steps":["launch: {package: com.example.login, force: true}"]`)
	said(l.command(0, "wait-for", "Sign in"), "ok: wait-for")
	said(l.command(0, "snapshot"), `"E-mail"`, "e1 ")
	said(l.command(0, "__complete", "tap", "e"), "e1\t")
	nobody, _ := androidsim.Start(t) // a server without phones: only the session has this phone
	away := *l
	away.env = append(slices.Clone(l.env), "ADB_SERVER_SOCKET=tcp:"+nobody.Addr())
	said(away.command(0, "__complete", "tap", "--device", "S"), "SIM1")
	said(l.command(0, "input", "ada@example.com", "--into", "E-mail"), `EditText "E-mail"`)
	said(l.command(0, "tap", "Password"), "ok: tap")
	said(l.command(0, "input", "lovelace"), "${PASSWORD}")
	said(l.command(1, "assert", "Welcome, Ada", "--timeout-ms", "300"), "did not appear", "try: taproot snapshot")
	said(l.command(0, "tap", "Sign in", "--timeout-ms", "30000", "--then", "diff"), "ok: tap")
	said(l.command(0, "assert", "Welcome, Ada", "--json"), `"exit":0`, `"steps":["assert: Welcome, Ada"]`)
	said(l.command(0, "sessions"), "SIM1", l.dir)
	said(l.command(0, "save", "login.yaml"), "saved: login.yaml")
	said(l.command(2, "save", "login.yaml"), "--force")
	said(read(t, l.dir, "login.yaml"), "id: login\n", "secrets: [PASSWORD]")
	said(l.command(0, "screenshot", "now.png"), "now.png")
	if _, err := os.Stat(filepath.Join(l.dir, "now.png")); err != nil {
		t.Error(err)
	}
	l.kill(t)
	said(l.command(0, "snapshot"), "was ended from outside", "lost: SIM1", "kept: ")
	l.command(0, "close")
	l.env = append(l.env, "PASSWORD=lovelace")
	l.command(0, "run", "login.yaml")
	said(l.command(0, "run", "login.yaml", "--keep"), "ok: step 1", "pass: login")
	said(l.command(0, "run", "login.yaml", "--from", "7"), "taken for done are 6 steps")
}

// TestSavedTestsStayGreen saves the steps of a test up to its failure, the commands that fixed it, and the rest of the
// test as one test, which passes every time.
func TestSavedTestsStayGreen(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	t.Cleanup(func() { l.command(0, "close", "--all") })
	if err := os.Mkdir(filepath.Join(l.dir, "suites"), 0o700); err != nil {
		t.Fatal(err)
	}
	l.write("suites/blocks.yaml",
		"blocks:\n  start:\n    steps:\n      - launch: {package: com.example.login, force: true}\n")
	l.write("suites/login.yaml", `id: login
platform: android
vars:
  WHO: ada@example.com
  FIELDS: 2
steps:
  - run: {file: blocks.yaml, block: start}
  - group:
      steps:
        - input: {text: "${WHO}", into: E-mail}
  - assertTrue: FIELDS == 2
  - tap: {label: Sign on, timeoutMs: 300} # a mistake
  - assert: Welcome, Ada
`)
	if said := l.command(1, "run", "suites/login.yaml", "--keep"); !strings.Contains(said, "fail: step 4, line 12") {
		t.Fatal(said)
	}
	l.command(0, "tap", "Password")
	l.command(0, "input", "lovelace")
	l.command(0, "tap", "Sign in", "--timeout-ms", "30000")
	l.command(0, "run", "suites/login.yaml", "--from", "5")
	l.command(0, "save", "saved.yaml")
	l.command(0, "close")
	saved := read(t, l.dir, "saved.yaml")
	has(t, "the saved test", saved, "  FIELDS: 2\n", "  WHO: ada@example.com\n",
		"  - run: {file: suites/blocks.yaml, block: start}\n", "${PASSWORD}", "  - assert: Welcome, Ada\n")
	times := "20"
	if testing.Short() {
		times = "1"
	}
	l.env = append(l.env, "PASSWORD=lovelace", "TAPROOT_NO_VIDEO=true")
	has(t, "the run", l.command(0, "run", "saved.yaml", "--repeat", times), times+" passed")
}

// TestShellOfAServer drives a phone of a REST server with the same commands; features of local sessions are rejected.
func TestShellOfAServer(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	s := l.serve()
	for _, tc := range []struct {
		words []string
		code  int
		want  string
	}{
		{[]string{"launch", "com.example.login"}, 0, "ok: launch on SIM1"},
		{[]string{"wait-for", "Sign in", "--timeout-ms", "60000"}, 0, "ok: wait-for on SIM1"},
		{[]string{"snapshot", "--find", "sign in"}, 0, `"Sign in"`},
		{[]string{"screenshot", "now.png"}, 0, "now.png"},
		{[]string{"assert", "Nowhere", "--timeout-ms", "300"}, 1, "Nowhere"},
		{[]string{"tap", "Nowhere", "--timeout-ms", "300"}, 1, "Nowhere"},
		{[]string{"tap", "Sign in", "--device", "nobody"}, 3, "nobody"},
		{[]string{"tap", "e1"}, 2, "references are of sessions"},
		{[]string{"tap", "Sign in", "--then", "diff"}, 2, "--then"},
		{[]string{"do", "tap: Sign in"}, 2, "POST /runs"},
	} {
		if said := l.command(tc.code, append(tc.words, "--server", s.url)...); !strings.Contains(said, tc.want) {
			t.Errorf("%q: %q is not in\n%s", tc.words, tc.want, said)
		}
	}
	if picture := read(t, l.dir, "now.png"); !strings.HasPrefix(picture, "\x89PNG") {
		t.Errorf("the picture begins %.20q", picture)
	}
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait() // killed
	if said := l.command(3, "tap", "Sign in", "--server", s.url); !strings.Contains(said, "refused") {
		t.Errorf("without a server: %s", said)
	}
}

// kill ends the process of the sessions, like a system that is short of memory.
func (l *lab) kill(t *testing.T) {
	t.Helper()
	p, err := shell.Client{Dir: shell.Folder(l.getenv)}.Sessions(t.Context())
	if err == nil {
		var process *os.Process
		if process, err = os.FindProcess(p.PID); err == nil {
			err = process.Kill()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the killed process takes no connections", func() bool {
		c, err := net.Dial("unix", filepath.Join(shell.Folder(l.getenv), "shell.sock"))
		return err != nil || c.Close() != nil
	})
}

func (l *lab) getenv(name string) string {
	for _, entry := range slices.Backward(l.env) {
		if key, value, ok := strings.Cut(entry, "="); ok && key == name {
			return value
		}
	}
	return ""
}

// TestGuide checks that the first page is short, lists every action, and names only existing commands.
func TestGuide(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	first := l.command(0, "guide")
	if len(first) > 6<<10 {
		t.Errorf("the first page has %d bytes", len(first))
	}
	words := l.command(0, "guide", "words")
	for _, def := range dsl.Vocabulary() {
		if name := shell.Kebab(def.Name); cli.IsWord(def) && def.Current == "" &&
			(!strings.Contains(first, name) || !strings.Contains(words, "`"+name)) {
			t.Errorf("%s is missing", name)
		}
	}
	l.command(2, "guide", "wrods")
	l.command(0, "guide", "--skill", "skills/taproot")
	if text := read(t, l.dir, "skills", "taproot", "SKILL.md"); !strings.HasPrefix(text,
		"---\nname: taproot\ndescription: ") || !strings.Contains(text, "taproot snapshot") {
		t.Errorf("SKILL.md begins %.200s", text)
	}
}
