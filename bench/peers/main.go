//go:build unix

// Command peers runs the same flows on the same pages in Taproot and in Playwright Test, in turns, and prints how long
// the whole processes took, and how much processor time and memory they needed. Both take a screenshot of each step.
// make bench-peers runs it.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/toolchain"
)

//go:embed pages taproot playwright package.json package-lock.json
var files embed.FS

func main() {
	var b bench
	flag.IntVar(&b.runs, "runs", 7, "how often each side runs each flow; medians are printed")
	flag.StringVar(&b.taproot, "taproot", "bin/taproot", "the `program` to measure")
	only := flag.String("flow", "",
		"measure only this `flow`: shop, form, list, login or one; sixteen: many of them at once; or shell: the tasks of "+
			"the shell")
	guard := flag.Bool("guard", false,
		"compare with bare scripts only, and fail if Taproot is too slow compared with them")
	out := flag.String("out", "", "`file` to write the table to, in addition to the terminal")
	phone := flag.Bool("phone-task", false,
		"do the task of the phone on the one that adb lists, and print what it took as JSON (the bench starts this)")
	flag.Parse()
	if *phone {
		if err := b.performOnPhone(); err != nil {
			fatal(err)
		}
		return
	}
	if alone := append([]string{"", shellFlow, sixteenFlows}, singles...); !slices.Contains(alone, *only) {
		fatal(fmt.Errorf("there is no flow %q: use %s", *only, strings.Join(alone[1:], ", ")))
	}
	if err := b.prepare(); err != nil {
		fatal(err)
	}
	defer b.close()
	measure := func() (string, error) { return b.measure(*only) }
	if *guard {
		measure = b.guard
	}
	text, err := measure()
	if err == nil && *out != "" {
		err = write(*out, text)
	}
	fmt.Print(text)
	if err != nil {
		b.close()
		fatal(err)
	}
}

// What -only can select in addition to a flow: the tasks of the shell, and sixteen flows with each number of workers.
const (
	shellFlow    = "shell"
	sixteenFlows = "sixteen"
)

// byHand is the heading after the measured part of the page. What follows it is not generated.
const byHand = "\n## Where the time goes\n"

// write replaces the measured part of the page.
func write(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if i := strings.Index(string(old), byHand); i >= 0 {
		text += string(old[i:])
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "peers:", err)
	os.Exit(1)
}

// bench is the state that both sides need.
type bench struct {
	runs    int
	taproot string
	dir     string // of this run
	setup   *toolchain.PlaywrightSetup
	site    *httptest.Server
	command string // Playwright Test's
	firefox string // the program; "" where there is none

	ratios map[bool]map[string]float64 // of time, by flow: in Chromium, and (true) in Firefox
	walls  map[string]time.Duration    // of Playwright Test with screenshots, by flow, in Chromium
}

func (b *bench) prepare() (err error) {
	if runtime.GOOS != "linux" {
		return errors.New("memory is read from /proc, which exists on Linux only")
	}
	if b.taproot, err = filepath.Abs(b.taproot); err != nil {
		return err
	}
	if b.setup, err = toolchain.Playwright(context.Background(), toolchain.System()); err != nil {
		return err
	}
	if found, err := toolchain.Find(context.Background(), toolchain.System(), toolchain.Firefox); err == nil &&
		found.OK() {
		b.firefox = found.Path
	}
	if b.dir, err = os.MkdirTemp("", "peers-"); err != nil {
		return err
	}
	if err := os.CopyFS(b.dir, files); err != nil {
		return err
	}
	if err := adopt(); err != nil {
		return err
	}
	install := exec.Command("npm", "ci", "--no-audit", "--no-fund")
	install.Dir, install.Env = b.dir, append(os.Environ(), "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1")
	if output, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("install Playwright Test: %w\n%s", err, output)
	}
	b.command = filepath.Join(b.dir, "node_modules", "@playwright", "test", "cli.js")
	pages, err := fs.Sub(files, "pages")
	if err != nil {
		return err
	}
	b.site = httptest.NewServer(http.FileServerFS(pages))
	return nil
}

func (b *bench) close() {
	if b.site != nil {
		b.site.Close()
	}
	_ = os.RemoveAll(b.dir) // temporary files
}

// job is what is run once.
type job struct {
	flows   []string
	trace   bool // with a recording and a trace
	workers int
	repeat  int
	firefox bool // in the system's Firefox, which both control by WebDriver BiDi
}

func (b *bench) ours(j job) *exec.Cmd {
	args := []string{"run", "--quiet", "--var", "SITE=" + b.site.URL, "--parallel", fmt.Sprint(j.workers), "--repeat",
		fmt.Sprint(j.repeat),
		"--reports", filepath.Join(b.dir, "reports")}
	if !j.trace {
		args = append(args, "--no-video", "--no-trace", "--no-dom")
	}
	if j.firefox {
		args = append(args, "--browser", "firefox")
	}
	for _, f := range j.flows {
		args = append(args, filepath.Join("taproot", f+".yaml"))
	}
	cmd := exec.Command(b.taproot, args...)
	cmd.Dir = b.dir
	return cmd
}

func (b *bench) theirs(j job) *exec.Cmd {
	cmd := b.node(b.command, "test", "--config", filepath.Join("playwright", "playwright.config.js"))
	cmd.Env = append(cmd.Env, "PEERS_FLOWS="+strings.Join(j.flows, ","), fmt.Sprintf("PEERS_WORKERS=%d", j.workers),
		fmt.Sprintf("PEERS_REPEAT=%d", j.repeat), "PEERS_REPORT="+filepath.Join(b.dir, "html"), "CI=", "FORCE_COLOR=0")
	if j.firefox {
		cmd.Env = append(cmd.Env, "PEERS_FIREFOX="+b.firefox)
	}
	if j.trace {
		cmd.Env = append(cmd.Env, "PEERS_TRACE=1", "PLAYWRIGHT_BROWSERS_PATH="+b.setup.Env["PLAYWRIGHT_BROWSERS_PATH"])
	}
	return cmd
}

// bare runs a flow without a runner and without reports.
func (b *bench) bare(j job) *exec.Cmd {
	return b.node(filepath.Join("playwright", "bare.js"), j.flows[0])
}

func (b *bench) node(args ...string) *exec.Cmd {
	cmd := exec.Command(b.setup.Node, args...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "SITE="+b.site.URL, "PEERS_CHROMIUM="+b.setup.Headless,
		fmt.Sprintf("PEERS_SANDBOX=%t", b.setup.Sandbox),
		"PEERS_OUTPUT="+filepath.Join(b.dir, "results"))
	return cmd
}
