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
	// tidyEvery is how often a hub removes what is no longer needed.
	tidyEvery = time.Hour
	// readFor is how long a cached archive is kept after its last use.
	readFor = time.Hour
	// keptFor is how long unused archives are kept by default.
	keptFor = 30 * 24 * time.Hour
)

// Tidy removes archives that no run needs and that were unused for as long as their project keeps reports, and packs of
// runs that no longer exist. Several hubs may call it at once, also while clients upload the same archive again.
func (d *Dispatcher) Tidy(ctx context.Context) error {
	return errors.Join(d.tidyArchives(ctx), d.tidyPacks(ctx), d.files.tidy(time.Now().Add(-readFor)))
}

func (d *Dispatcher) tidyArchives(ctx context.Context) error {
	projects, err := d.o.Queue.Archives().Projects(ctx)
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
		blobs, err := d.o.Queue.Archives().Expire(ctx, project, time.Now().Add(-keep))
		errs = append(errs, err)
		for _, name := range blobs {
			errs = append(errs, d.o.Bucket.Delete(ctx, name))
		}
	}
	// A file is created after its row and removed after it. So an older file without a row is left over.
	files, err := d.o.Bucket.List(ctx, archiveFolder)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	known, err := d.o.Queue.Archives().Files(ctx)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	return errors.Join(append(errs, d.deleteBut(ctx, files, known, func(name string) string { return name }))...)
}

// tidyPacks removes packs of runs that no longer exist: sent too late by a host, or never taken by the client.
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

// deleteBut removes the files that are not among the known ones. The files must be listed before the known ones.
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

// tidy removes cached archives that were last used before a moment.
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
