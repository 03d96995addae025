package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/cli/internal/report"
	"github.com/taproot-dev/taproot/cli/internal/runpage"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/internal/toolchain"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// pageFlags are the flags of the page of --ui.
type pageFlags struct {
	on, noBrowser, portGiven bool
	port                     int
}

// checkPage reports flags that do not fit.
func (f runFlags) checkPage() error {
	switch {
	case !f.page.on && (f.page.noBrowser || f.page.portGiven):
		return &plan.Usage{Msg: "--port and --no-browser are flags of --ui"}
	case f.page.on && (f.keep || f.from != ""):
		return &plan.Usage{Msg: "--ui cannot be combined with --keep and --from, which use a session"}
	case f.page.on && f.format != "":
		return &plan.Usage{Msg: "--ui cannot be combined with --format: each run of the page would write that file"}
	}
	return nil
}

// runPage serves the page on which the user runs tests. Its exit code is that of the last run.
func runPage(ctx context.Context, env *process.Env, f runFlags, args []string) error {
	conf, err := f.config(env, args)
	if err != nil {
		return err
	}
	reapServers(env) // the user may open the page to look at tests only
	watcher, err := newWatcher(conf, plan.Folders(env.Dir, args))
	if err != nil {
		return err
	}
	defer watcher.files.Close()
	tests := &pageTests{env: env, flags: f, args: args, watcher: watcher}
	var usage *plan.Usage
	if _, err := conf.Plan(args...); errors.As(err, &usage) {
		return err
	}
	viewer, err := toolchain.TraceViewer(ctx, toolchain.NewHost(env.Getenv, env.Environ))
	if err != nil {
		viewer = "" // the reports say how to open a trace elsewhere
	}
	page, err := runpage.New(ctx, runpage.Options{Tests: tests, Reports: conf.Reports, Title: filepath.Base(env.Dir),
		Watch: f.watch, Port: f.page.port, Viewer: viewer})
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "taproot run: %s\n(the link works once, within ten minutes; press Ctrl-C to end)\n",
		page.Link())
	if !f.page.noBrowser && report.IsTerminal(env) {
		report.OpenInBrowser(ctx, page.Link())
	}
	return page.Serve(ctx)
}

// pageTests are the tests of the page of --ui.
type pageTests struct {
	env     *process.Env
	flags   runFlags
	args    []string
	watcher *watcher

	mu     sync.Mutex
	cases  []plan.Case // as they were read last
	whole  bool        // no file had an error
	inTurn sync.Mutex  // held while tests run
}

// Read implements runpage.Tests. Of a suite with errors it returns the tests of the other files.
func (p *pageTests) Read() ([]runpage.Test, []runpage.Broken) {
	cases, broken := p.read()
	p.mu.Lock()
	p.cases, p.whole = cases, len(broken) == 0
	p.mu.Unlock()
	var tests []runpage.Test
	at := map[string]int{}
	for _, c := range cases {
		if _, known := at[c.Test.ID]; !known {
			at[c.Test.ID] = len(tests)
			t := c.Test
			tests = append(tests, runpage.Test{ID: t.ID, Name: t.Name, File: filepath.ToSlash(t.Pos.File), Line: t.Pos.Line,
				Tags: t.Tags, Skip: t.Skip})
		}
		t := &tests[at[c.Test.ID]]
		t.Cases = append(t.Cases, c.Pack)
	}
	return tests, broken
}

func (p *pageTests) read() ([]plan.Case, []runpage.Broken) {
	conf, err := p.flags.config(p.env, p.args)
	if err != nil {
		return nil, []runpage.Broken{{Message: err.Error()}}
	}
	conf.Repeat, conf.Seed = 0, nil // of the runs
	planned, err := conf.Plan(p.args...)
	if err == nil {
		return planned.Cases, nil
	}
	broken := brokenFiles(err)
	tests, problems, err := conf.Tests(p.args...)
	if err != nil {
		return nil, listed(broken)
	}
	maps.Copy(broken, brokenFiles(plan.Problems(problems)))
	var files []string
	for _, t := range tests {
		if file := filepath.ToSlash(t.Pos.File); broken[file] == "" {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return nil, listed(broken)
	}
	if planned, err = conf.Plan(slices.Compact(files)...); err != nil { // such as an unknown need
		maps.Copy(broken, brokenFiles(err))
		return nil, listed(broken)
	}
	return planned.Cases, listed(broken)
}

func listed(broken map[string]string) (list []runpage.Broken) {
	for _, file := range slices.Sorted(maps.Keys(broken)) {
		list = append(list, runpage.Broken{File: file, Message: broken[file]})
	}
	return list
}

// brokenFiles sorts the errors of a plan by the files that they are in.
func brokenFiles(err error) map[string]string {
	files := map[string]string{}
	var all plan.Problems
	if !errors.As(err, &all) {
		all = plan.Problems{err}
	}
	for _, one := range all {
		var list source.Errors
		var place *source.Error
		file, _, _ := strings.Cut(one.Error(), ": ")
		switch {
		case errors.As(one, &list) && len(list) > 0:
			file = list[0].Pos.File
		case errors.As(one, &place):
			file = place.Pos.File
		case !plan.YAMLFile(file):
			file = ""
		}
		file = filepath.ToSlash(file)
		files[file] = strings.TrimSpace(files[file] + "\n\n" + one.Error())
	}
	return files
}

// Run implements runpage.Tests.
func (p *pageTests) Run(ctx context.Context, cases []string, o runpage.Observer) (string, error) {
	p.inTurn.Lock()
	defer p.inTurn.Unlock()
	p.watcher.started()
	defer p.watcher.over()
	f, args := p.flags, p.args
	f.cases, f.observer = map[string]bool{}, o
	for _, key := range cases {
		f.cases[key] = true
	}
	p.mu.Lock()
	if !p.whole { // a file with an error would keep all others from running
		args = nil
		for _, c := range p.cases {
			if file := filepath.ToSlash(c.Test.Pos.File); f.cases[c.Pack] && !slices.Contains(args, file) {
				args = append(args, file)
			}
		}
	}
	p.mu.Unlock()
	printed := &keptText{}
	env := *p.env
	env.Stderr = io.MultiWriter(p.env.Stderr, printed)
	fmt.Fprintln(env.Stdout)
	err := runTests(ctx, &env, f, args)
	var code process.Exit
	if err != nil && !errors.As(err, &code) {
		fmt.Fprintf(env.Stderr, "taproot: %v\n", err)
	}
	return printed.text(), err
}

// keptText keeps the start of what is written.
type keptText struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

// maxKeptText limits it, in bytes.
const maxKeptText = 64 << 10

func (k *keptText) Write(data []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept.Write(data[:min(len(data), max(0, maxKeptText-k.kept.Len()))])
	return len(data), nil
}

func (k *keptText) text() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept.String()
}

// Saved implements runpage.Tests.
func (p *pageTests) Saved(ctx context.Context) ([]string, error) { return p.watcher.wait(ctx) }

// Depending implements runpage.Tests.
func (p *pageTests) Depending(files []string) (keys []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	saved := map[string]bool{}
	for _, file := range files {
		saved[filepath.Clean(file)] = true
		if real, err := filepath.EvalSymlinks(file); err == nil {
			saved[real] = true
		}
	}
	all := slices.Collect(maps.Keys(saved))
	for _, c := range p.cases {
		if saved[unknownFile] || c.DependsOn(p.env.Dir, func(file string) bool { return saved[filepath.Clean(file)] }, all) {
			keys = append(keys, c.Pack)
		}
	}
	return keys
}

// planned passes the plan of a run on to the page, if there is one.
func (f runFlags) planned(dir string, cases []plan.Case) {
	if f.observer == nil {
		return
	}
	packs := make([]string, len(cases))
	for i, c := range cases {
		packs[i] = c.Pack
	}
	f.observer.Planned(dir, packs)
}

// observing is a function that passes the events of a run to the terminal, and to the page if there is one.
func (f runFlags) observing(terminal func(event.Case, event.Event)) func(event.Case, event.Event) {
	if f.observer == nil {
		return terminal
	}
	return func(c event.Case, e event.Event) {
		terminal(c, e)
		f.observer.Event(c, e)
	}
}

// correct passes on the result of a case without a complete report.
func (f runFlags) correct(o run.Outcome) {
	if f.observer != nil {
		f.observer.Event(event.Case{ID: o.Case.Test.ID, Pack: o.Case.Pack}, event.Event{Kind: event.CaseEnded,
			Result: o.Result(), Problem: &event.Problem{Message: "the report is incomplete: " + o.Err.Error()}})
	}
}
