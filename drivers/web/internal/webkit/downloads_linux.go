package webkit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

const (
	// downloadPoll is the time between two looks into the folder of downloads.
	downloadPoll = 100 * time.Millisecond
	// partial is the ending of a file that WebKit still writes; it is renamed at its end.
	partial = ".wkdownload"
	// goneAfter is how many looks in a row do not find a file that was given up.
	goneAfter = 3
)

var _ classic.Downloader = (*instance)(nil)

// downloadFolder is where the browser puts the files that its pages offer: nothing else is in it.
func (g *group) downloadFolder() string { return filepath.Join(g.dir, "home", "Downloads") }

// takeDownloads makes that folder the one for downloads, in the way of desktops.
func (g *group) takeDownloads() error {
	if err := os.Mkdir(g.downloadFolder(), 0o700); err != nil {
		return err
	}
	const said = `XDG_DOWNLOAD_DIR="$HOME/Downloads"` + "\n"
	return os.WriteFile(filepath.Join(g.dir, "config", "user-dirs.dirs"), []byte(said), 0o600)
}

// Downloads reports the files that pages offer from now on, until the instance is closed.
func (in *instance) Downloads(life context.Context, report func(classic.Offer)) {
	w := &downloads{group: in.group, report: report, open: map[string]*download{}}
	in.group.wait.Go(func() {
		for drivers.Pause(life, downloadPoll) == nil && in.lives() {
			w.look()
		}
		w.giveUp(errors.New("the page was closed"))
	})
}

// downloads follows the files in the folder of downloads. WebKit offers a file under the name that its page suggests,
// and none of which the name is taken. So each one is moved away as soon as it is whole.
type downloads struct {
	group  *group
	report func(classic.Offer)
	open   map[string]*download // that are not whole, by their names
	number int
}

// download is a file that the browser writes.
type download struct {
	path    string
	done    chan struct{} // closed when the others are known
	err     error
	missing int // looks in a row that have not found it
}

// look compares the folder with what is known.
func (w *downloads) look() {
	entries, err := os.ReadDir(w.group.downloadFolder())
	if err != nil || len(entries) == 0 && len(w.open) == 0 {
		return
	}
	written, seen := w.group.writes(w.group.downloadFolder()), map[string]bool{}
	for _, e := range entries {
		name, ending := strings.CutSuffix(e.Name(), partial)
		if !e.Type().IsRegular() {
			continue
		}
		seen[name] = true
		d := w.open[name]
		if d == nil {
			d = &download{done: make(chan struct{})}
			w.open[name] = d
			w.report(classic.Offer{Name: name, Done: d.done, Result: func(context.Context) (string, error) {
				return d.path, d.err
			}})
		}
		if !ending && !written[e.Name()] && !written[e.Name()+partial] {
			w.keep(name, d)
		}
	}
	for name, d := range w.open {
		if d.missing++; seen[name] {
			d.missing = 0
		}
		if d.missing >= goneAfter {
			w.end(name, d, errors.New("the browser has given it up"))
		}
	}
}

// keep moves a file away that is whole.
func (w *downloads) keep(name string, d *download) {
	w.number++
	d.path = filepath.Join(w.group.dir, "home", "download-"+strconv.Itoa(w.number))
	err := os.Rename(filepath.Join(w.group.downloadFolder(), name), d.path)
	if err != nil {
		err = fmt.Errorf("keep it: %w", err)
	}
	w.end(name, d, err)
}

func (w *downloads) end(name string, d *download, err error) {
	delete(w.open, name)
	d.err = err
	close(d.done)
}

func (w *downloads) giveUp(err error) {
	for name, d := range w.open {
		w.end(name, d, err)
	}
}

// writes returns the names of the files of a folder that the programs have open.
func (g *group) writes(dir string) map[string]bool {
	names := map[string]bool{}
	for _, pid := range members(g.first.Process.Pid) {
		links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // the pattern is right
		for _, link := range links {
			if to, err := os.Readlink(link); err == nil && filepath.Dir(to) == dir {
				names[filepath.Base(to)] = true
			}
		}
	}
	return names
}
