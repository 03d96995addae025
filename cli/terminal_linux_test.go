package cli_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestTerminal: the running tests are redrawn in place; in the end only their results are on the screen. A terminal
// that calls itself "dumb" gets plain lines, because it moves no cursor and shows no colour.
func TestTerminal(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	for _, id := range []string{"one", "two"} {
		l.write(id+".yaml", strings.ReplaceAll(passesOnPhone, "passes", id))
	}
	l.write("wrong.yaml", "id: wrong\nplatform: android\nsteps:\n  - launch: {package: com.example.list, force: true}\n"+
		// longer than the others, on a busy machine too
		"  - assert: {label: Never there on any screen of this long list, timeoutMs: 4000}\n")
	for _, tc := range []struct {
		name  string
		env   []string
		color bool
		plain bool
	}{{name: "in colour", color: true}, {name: "NO_COLOR", env: []string{"NO_COLOR=1"}},
		{name: "TERM=dumb", env: []string{"TERM=dumb"}, plain: true}} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.name == "NO_COLOR" {
				testutil.Leave(t, "on a terminal, without colours")
			}
			raw := l.onTerminal(t, tc.env, "run", ".", "--no-video")
			if color := regexp.MustCompile(`\x1b\[[\d;]*m`).MatchString(raw); color != tc.color {
				t.Errorf("coloured: %t\n%q", color, raw)
			}
			if tc.plain {
				if strings.Contains(raw, "\x1b") || !strings.Contains(raw, "2 passed, 1 failed in ") {
					t.Errorf("escapes, or no result:\n%q", raw)
				}
				return
			}
			if !strings.Contains(raw, "▶ android SIM1 · ") || !strings.Contains(raw, "\x1b[J") {
				t.Errorf("no live lines:\n%q", raw)
			}
			screen := replay(t, raw)
			if want := regexp.MustCompile(
				`^(\[[123]/3\] ✓ PASS (one|two) · android SIM[12] · \d+\.\ds\n|\[[123]/3\] ✗ FAIL wrong · android SIM[12] · ` +
					`\d+\.\ds\n {4}wrong\.yaml:5:5: "Never there.*…\n){3}` +
					`\nFAIL wrong \(android SIM[12]\)\nwrong\.yaml:5:5: (.*\n)+\nslowest: (.*, )?wrong .*\n2 passed, 1 failed in ` +
					`\d+\.\ds\nreports: \S+\n*$`); !want.MatchString(screen) {
				t.Errorf("the screen shows\n%s", screen)
			}
		})
	}
}

// onTerminal runs taproot on a pseudo terminal of 100 columns and returns all of its output.
func (l *lab) onTerminal(t *testing.T, env []string, args ...string) string {
	t.Helper()
	ours, theirs := openTerminal(t)
	cmd := exec.CommandContext(t.Context(), "taproot", args...)
	cmd.Dir, cmd.Env = l.dir, append(l.env, env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(ours) // ends with EIO when the other side is closed
	if err != nil && !strings.Contains(err.Error(), unix.EIO.Error()) {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("%v\n%s", err, out)
	}
	return string(out)
}

func openTerminal(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ours.Close() })
	fd := int(ours.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100})
	}
	if err != nil {
		t.Fatal(err)
	}
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return ours, theirs
}

var sequence = regexp.MustCompile(`^\x1b\[([\d;]*)([A-Za-z])`)

// replay returns the final screen of a terminal of 100 columns. It supports the escape sequences that are needed.
func replay(t *testing.T, raw string) string {
	t.Helper()
	lines, row, col := [][]rune{nil}, 0, 0
	for rest := raw; rest != ""; {
		if m := sequence.FindStringSubmatch(rest); m != nil {
			rest = rest[len(m[0]):]
			switch m[2] {
			case "A":
				up, err := strconv.Atoi(m[1])
				if err != nil || up > row {
					t.Fatalf("%q leads above the screen", m[0])
				}
				row -= up
			case "J":
				lines = lines[:row+1]
				lines[row] = lines[row][:min(col, len(lines[row]))]
			case "m":
			default:
				t.Fatalf("unknown escape sequence %q", m[0])
			}
			continue
		}
		r := []rune(rest)[0]
		rest = rest[len(string(r)):]
		switch r {
		case '\r':
			col = 0
		case '\n':
			if row++; row == len(lines) {
				lines = append(lines, nil)
			}
		default:
			if col == 100 && row < 40 { // the line wraps: text that was drawn in place is garbled from here on
				row, col = row+1, 0
				lines = append(lines, nil)
			}
			lines[row] = append(lines[row][:col], r)
			col++
		}
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(string(line) + "\n")
	}
	return b.String()
}
