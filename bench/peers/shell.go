//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// task is a task for the shell, command by command: for taproot, and for playwright-cli, with the same targets by name.
// SITE in an argument is replaced by the URL of the pages.
type task struct {
	name         string
	ours, theirs [][]string
}

// shows waits until a text is visible: playwright-cli has no command for that, but can run code.
func shows(text string) []string {
	return []string{"run-code", fmt.Sprintf("async page => { await page.getByText(%q).first().waitFor(); }", text)}
}

func button(name string) string {
	return fmt.Sprintf("getByRole('button', { name: '%s', exact: true })", name)
}

func label(name string) string { return fmt.Sprintf("getByLabel('%s', { exact: true })", name) }

func tasks() []task {
	return []task{
		{"form", [][]string{{"open", "SITE/form.html"}, {"input", "Ada", "--into", "First name"},
			{"input", "Lovelace", "--into", "Last name"},
			{"input", "ada@example.com", "--into", "E-mail"}, {"web-select", "select[name=country]", "--label", "Chile"},
			{"tap", "Family"}, {"tap", "Send me news"}, {"input", "None so far", "--into", "Remarks"},
			{"tap", "Register"}, {"assert", "Welcome, Ada Lovelace, Family"}, {"close"}},
			[][]string{{"open", "SITE/form.html"}, {"fill", label("First name"), "Ada"},
				{"fill", label("Last name"), "Lovelace"},
				{"fill", label("E-mail"), "ada@example.com"}, {"select", "getByLabel('Country')", "Chile"},
				{"check", label("Family")}, {"check", label("Send me news")}, {"fill", label("Remarks"), "None so far"},
				{"click", button("Register")}, shows("Welcome, Ada Lovelace, Family"), {"close"}}},
		{"table", [][]string{{"open", "SITE/table.html"}, {"assert", "40 rows"}, {"input", "Chair 1", "--into", "Filter"},
			{"wait-for", "5 rows"}, {"tap", "Pick Chair 12"}, {"tap", "Pick Chair 14"},
			{"assert", "2 picked"}, {"tap", "Raise price"}, {"assert", "Prices are raised"}, {"tap", "Clear filter"},
			{"assert", "40 rows"}, {"close"}},
			[][]string{{"open", "SITE/table.html"}, shows("40 rows"), {"fill", label("Filter"), "Chair 1"}, shows("5 rows"),
				{"check", label("Pick Chair 12")}, {"check", label("Pick Chair 14")},
				shows("2 picked"), {"click", button("Raise price")}, shows("Prices are raised"), {"click", button("Clear filter")},
				shows("40 rows"), {"close"}}},
		{"dialog and tab", [][]string{{"open", "SITE/order.html"}, {"tap", "Delete draft"}, {"alert", "accept"},
			{"assert", "Draft deleted"}, {"tap", "Rename"}, {"alert", "accept", "--text", "Seven"},
			{"assert", "Order Seven"}, {"tap", "Open details"}, {"web-tab", "--index", "1"},
			{"input", "By post", "--into", "Remark"}, {"tap", "Keep remark"}, {"assert", "Kept: By post"},
			{"web-tab", "--index", "0"}, {"tap", "Archive"}, {"assert", "Order archived"}, {"close"}},
			[][]string{{"open", "SITE/order.html"}, {"click", button("Delete draft")}, {"dialog-accept"}, shows("Draft deleted"),
				{"click", button("Rename")}, {"dialog-accept", "Seven"},
				shows("Order Seven"), {"click", "getByRole('link', { name: 'Open details' })"}, {"tab-select", "1"},
				{"fill", label("Remark"), "By post"}, {"click", button("Keep remark")}, shows("Kept: By post"),
				{"tab-select", "0"}, {"click", button("Archive")}, shows("Order archived"), {"close"}}},
		{"long list", [][]string{{"open", "SITE/list.html"}, {"assert", "Orders"}, {"tap", "Open order 3"},
			{"assert", "This is order 3"}, {"scroll-to", "Open order 60"}, {"tap", "Open order 60"},
			{"assert", "This is order 60"},
			{"scroll-to", "Open order 140"}, {"tap", "Open order 140"}, {"assert", "This is order 140"}, {"close"}},
			[][]string{{"open", "SITE/list.html"}, shows("Orders"), {"click", button("Open order 3")}, shows("This is order 3"),
				scrolled("Open order 60"), {"click", button("Open order 60")}, shows("This is order 60"),
				scrolled("Open order 140"), {"click", button("Open order 140")}, shows("This is order 140"), {"close"}}},
		{"log-in", [][]string{{"open", "SITE/login.html"}, {"input", "ada", "--into", "E-mail"},
			{"input", "wrong", "--into", "Password"}, {"tap", "Sign in", "--type", "button"}, {"assert", "Wrong password"},
			{"tap", "Password"}, {"erase"}, {"input", "enigma"}, {"tap", "Sign in", "--type", "button"},
			{"assert", "Welcome, ada"}, {"tap", "Sign out"}, {"assert", "E-mail"}, {"close"}},
			[][]string{{"open", "SITE/login.html"}, {"fill", label("E-mail"), "ada"}, {"fill", label("Password"), "wrong"},
				{"click", button("Sign in")}, shows("Wrong password"),
				{"click", label("Password")}, {"fill", label("Password"), ""}, {"type", "enigma"}, {"click", button("Sign in")},
				shows("Welcome, ada"), {"click", button("Sign out")}, shows("E-mail"), {"close"}}},
	}
}

// phoneTask is a log-in on a simulated phone, with a wrong password first. playwright-cli does not support phones.
var phoneTask = [][]string{{"open", "com.example.login"}, {"input", "ada@example.com", "--into", "E-mail"},
	{"input", "wrong", "--into", "Password"}, {"tap", "Sign in"}, {"assert", "Wrong e-mail or password"},
	{"input", "lovelace", "--into", "Password"}, {"tap", "Sign in"}, {"assert", "Welcome, Ada"},
	{"assert", "Status: Unpaid"}, {"tap", "Log out"}, {"assert", "E-mail"}, {"close"}}

// scrolled scrolls down until a button exists: playwright-cli has only the mouse wheel, and code that uses it.
func scrolled(name string) []string {
	return []string{
		"run-code", fmt.Sprintf("async page => { const b = page.%s; while (!await b.count()) { await page.mouse.wheel(0, "+
			"2000); await page.waitForTimeout(50); } }", button(name))}
}

// spent is what a task took.
type spent struct {
	Wall  time.Duration
	Bytes int
	Own   []time.Duration // of each command that prints how long its action took: the rest
}

// took finds the time of the action in the output of a taproot command: "ok: tap on web-1 (34 ms)".
var took = regexp.MustCompile(`(?m)^ok: .*\((\d+) ms\)`)

// perform does a task, which must succeed.
func (b *bench) perform(commands [][]string, command func(args []string) *exec.Cmd) (spent, error) {
	var s spent
	for _, args := range commands {
		args = slices.Clone(args)
		for i := range args {
			if b.site != nil {
				args[i] = strings.ReplaceAll(args[i], "SITE", b.site.URL)
			}
		}
		cmd, began := command(args), time.Now()
		output, err := cmd.CombinedOutput()
		wall := time.Since(began)
		if err != nil || strings.Contains(string(output), "### Error") {
			return s, fmt.Errorf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, output)
		}
		s.Wall, s.Bytes = s.Wall+wall, s.Bytes+len(output)
		if m := took.FindSubmatch(output); m != nil {
			ms, _ := strconv.Atoi(string(m[1]))
			s.Own = append(s.Own, wall-time.Duration(ms)*time.Millisecond)
		}
	}
	return s, nil
}

// own starts commands of taproot, in a folder with its own sessions.
func (b *bench) own(dir string) func(args []string) *exec.Cmd {
	environ := append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
	return func(args []string) *exec.Cmd {
		return &exec.Cmd{Path: b.taproot, Args: append([]string{b.taproot}, args...), Dir: dir, Env: environ}
	}
}

// onPhone does the task of the phone in a process under taproot sim, and returns what each repetition took.
func (b *bench) onPhone() (all []spent, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(b.taproot, "sim", "--phones", "1", "--", self, "-phone-task", "-taproot", b.taproot, "-runs",
		strconv.Itoa(b.runs))
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("the log-in on the phone: %w\n%s", err, output.Bytes())
	}
	return all, json.Unmarshal(output.Bytes(), &all)
}

// performOnPhone is the process of onPhone.
func (b *bench) performOnPhone() error {
	dir, err := os.MkdirTemp("", "peers-phone-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // temporary files
	var all []spent
	for i := -1; i < b.runs; i++ {
		one, err := b.perform(phoneTask, b.own(dir))
		if err != nil {
			return err
		}
		if i >= 0 {
			all = append(all, one)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(all)
}

// fromShell does the tasks with both, in turns, and writes the results.
func (b *bench) fromShell(t *strings.Builder) error {
	dir := filepath.Join(b.dir, "shell")
	config, err := json.Marshal(map[string]any{"browser": map[string]any{"browserName": "chromium", "isolated": true,
		"launchOptions": map[string]any{"executablePath": b.setup.Headless, "chromiumSandbox": b.setup.Sandbox}}})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "peer.json"), config, 0o600); err != nil {
		return err
	}
	ours := b.own(dir)
	cli := filepath.Join(b.dir, "node_modules", "@playwright", "cli", "playwright-cli.js")
	theirs := func(args []string) *exec.Cmd {
		if args[0] == "open" {
			args = append(args, "--config=peer.json")
		}
		return &exec.Cmd{Path: b.setup.Node, Args: append([]string{b.setup.Node, cli}, args...), Dir: dir,
			Env: append(os.Environ(), "XDG_RUNTIME_DIR="+dir)}
	}
	fmt.Fprintf(t,
		"\n## From the shell\n\nThe same tasks as single commands, compared with `playwright-cli` (`@playwright/cli` "+
			"0.1.22): "+
			"the "+
			"sum of all commands from `open` to `close`, and their output.\n\n"+
			"| task | commands | time | ratio | bytes | ratio |\n|---|---|---|---|---|---|\n")
	var own []time.Duration
	for _, job := range tasks() {
		var wall [2][]time.Duration
		var sizes [2][]int64
		for i := -1; i < b.runs; i++ {
			mine, err := b.perform(job.ours, ours)
			if err != nil {
				return err
			}
			other, err := b.perform(job.theirs, theirs)
			if err != nil {
				return err
			}
			if i >= 0 {
				own = append(own, mine.Own...)
				wall[0], wall[1] = append(wall[0], mine.Wall), append(wall[1], other.Wall)
				sizes[0], sizes[1] = append(sizes[0], int64(mine.Bytes)), append(sizes[1], int64(other.Bytes))
			}
		}
		fmt.Fprintf(t, "| %s | %d / %d | %s / %s | **%.2f** | %d / %d | **%.2f** |\n", job.name, len(job.ours),
			len(job.theirs), seconds(middle(wall[0])), seconds(middle(wall[1])),
			ratio(middle(wall[0]), middle(wall[1])), middle(sizes[0]), middle(sizes[1]),
			ratio(middle(sizes[0]), middle(sizes[1])))
	}
	onPhone, err := b.onPhone()
	if err != nil {
		return err
	}
	var walls, sizes []int64
	for _, one := range onPhone {
		own = append(own, one.Own...)
		walls, sizes = append(walls, int64(one.Wall)), append(sizes, int64(one.Bytes))
	}
	fmt.Fprintf(t, "| log-in on a simulated phone | %d | %s | | %d | |\n", len(phoneTask),
		seconds(time.Duration(middle(walls))), middle(sizes))
	fmt.Fprintf(t, "\nTime of a command in addition to that of its action: %d ms, the median of %d commands.\n",
		middle(own).Milliseconds(), len(own))
	return nil
}

func middle[T ~int64](list []T) T {
	slices.Sort(list)
	return list[len(list)/2]
}
