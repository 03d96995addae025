package dispatch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// tidyEvery is how often a hub looks for what nobody needs any more.
	tidyEvery = time.Hour
	// readFor is how long a hub keeps what it reads of an archive after the last host asked for it.
	readFor = time.Hour
	// keptFor is how long archives are kept that no run uses, where nobody says otherwise.
	keptFor = 30 * 24 * time.Hour
)

// Tidy removes archives that no run needs and that were not used for as long as their project keeps reports, and packs
// of runs that are gone. Any number of hubs may do it at once, also while clients send the same archive again.
func (d *Dispatcher) Tidy(ctx context.Context) error {
	return errors.Join(d.tidyArchives(ctx), d.tidyPacks(ctx), d.files.tidy(time.Now().Add(-readFor)))
}

func (d *Dispatcher) tidyArchives(ctx context.Context) error {
	projects, err := d.o.Queue.ArchiveProjects(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, project := range projects {
		keep := keptFor
		if d.o.Keep != nil {
			if keep, err = d.o.Keep(ctx, project); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		blobs, err := d.o.Queue.ExpireArchives(ctx, project, time.Now().Add(-keep))
		errs = append(errs, err)
		for _, name := range blobs {
			errs = append(errs, d.o.Bucket.Delete(ctx, name))
		}
	}
	// A file is put after its row, and removed after it: what has none now that was there before is left over.
	files, err := d.o.Bucket.List(ctx, archiveFolder)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	known, err := d.o.Queue.ArchiveFiles(ctx)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	return errors.Join(append(errs, d.deleteBut(ctx, files, known, func(name string) string { return name }))...)
}

// tidyPacks removes packs of runs that are gone: those that a host brought too late, or whose client never came again.
func (d *Dispatcher) tidyPacks(ctx context.Context) error {
	files, err := d.o.Bucket.List(ctx, runsFolder)
	if err != nil || len(files) == 0 {
		return err
	}
	known, err := d.o.Queue.Runs(ctx)
	if err != nil {
		return err
	}
	return d.deleteBut(ctx, files, known, func(name string) string {
		run, _, _ := strings.Cut(strings.TrimPrefix(name, runsFolder), "/")
		return run
	})
}

// deleteBut removes files but those of which something is known. They were listed before it was asked what is known.
func (d *Dispatcher) deleteBut(ctx context.Context, files, known []string, of func(name string) string) error {
	is := map[string]bool{}
	for _, k := range known {
		is[k] = true
	}
	var errs []error
	for _, name := range files {
		if !is[of(name)] {
			errs = append(errs, d.o.Bucket.Delete(ctx, name))
		}
	}
	return errors.Join(errs...)
}

// tidy removes what this hub read of archives, and nobody asked for since a moment.
func (a *archives) tidy(before time.Time) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	entries, err := os.ReadDir(a.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || strings.HasPrefix(e.Name(), ".") || info.ModTime().After(before) || a.used[e.Name()].After(before) {
			continue
		}
		delete(a.used, e.Name())
		errs = append(errs, os.Remove(filepath.Join(a.dir, e.Name())))
	}
	return errors.Join(errs...)
}
