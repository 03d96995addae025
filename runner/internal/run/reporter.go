package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/feed"
)

// reporterLimit is how long reporters may take after the end of a run.
const reporterLimit = 10 * time.Second

// runDirName is the variable of a reporter's environment with the folder of the run.
const runDirName = "TAPROOT_RUN_DIR"

// Reporters are programs that read the events of a run.
type Reporters []string

// reportersOf reads TAPROOT_REPORTER: programs, separated by commas.
func reportersOf(text string) (list Reporters) {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			list = append(list, name)
		}
	}
	return list
}

// Find returns the paths of the programs, relative to a folder or by PATH, so that a wrong name is an error before a
// run starts.
func (p Reporters) Find(dir string) (found Reporters, err error) {
	for _, name := range p {
		path, err := feed.Find(dir, name)
		if err != nil {
			return nil, err
		}
		found = append(found, path)
	}
	return found, nil
}

// Reporting is the programs that read the events of a run. The zero value has none.
type Reporting struct {
	dir      string      // of the events
	spool    *feed.Spool // of this process
	programs []*feed.Reporter
}

// Start starts the programs of Config.Reporters, which read the events of all cases of the run: of this process and of
// those that call Join. Call it before the first case, and End when the files of the run are complete.
func (p *Reporting) Start(r *Runner, output io.Writer) error {
	if err := p.Join(r); err != nil || p.spool == nil {
		return err
	}
	environ := append(os.Environ(), runDirName+"="+r.Dir.Path())
	for _, program := range r.Config.Reporters {
		one, err := feed.Start(feed.Options{Program: program, Dir: r.Config.Dir, Spool: p.dir, Environ: environ,
			Output: output})
		if err != nil {
			p.End()
			return err
		}
		p.programs = append(p.programs, one)
	}
	return nil
}

// Join adds the events of this process to those that the programs read, which another process has started.
func (p *Reporting) Join(r *Runner) (err error) {
	if len(r.Config.Reporters) == 0 {
		return nil
	}
	if p.dir, err = makePrivateDir(r, spools); err == nil {
		p.spool, err = feed.NewSpool(p.dir)
	}
	if err != nil {
		return fmt.Errorf("keep the events for reporters: %w", err)
	}
	return nil
}

// Leave says that this process has no more events.
func (p *Reporting) Leave() error { return p.spool.Close() }

// End ends the programs, and returns a warning for each with which something went wrong. Nothing of that changes a
// result.
func (p *Reporting) End() (warnings []string) {
	if p.spool == nil {
		return nil
	}
	lost := p.spool.Lost()
	err := p.spool.Close()
	ended := make(chan string, len(p.programs))
	for _, one := range p.programs {
		go func() { ended <- one.End(reporterLimit, lost) }()
	}
	for range p.programs {
		if text := <-ended; text != "" {
			warnings = append(warnings, text)
		}
	}
	if err = errors.Join(err, os.RemoveAll(p.dir)); err != nil {
		warnings = append(warnings, "the events for reporters: "+err.Error())
	}
	*p = Reporting{}
	return warnings
}

// observer is what observes the events of a pack: another observer, which may be nil, and the programs.
func (p *Reporting) observer(other func(event.Case, event.Event)) func(event.Case, event.Event) {
	if p.spool == nil {
		return other
	}
	spool := p.spool
	return func(c event.Case, e event.Event) {
		if other != nil {
			other(c, e)
		}
		spool.Event(c, e)
	}
}
