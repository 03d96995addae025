package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// ErrInUse means that another process uses the database.
var ErrInUse = errors.New("the database is in use: end what serves it first")

// Restore replaces an SQLite database that is not in use by a backup. It keeps the old database next to it, and returns
// its path, or "" if there was none. If the backup is damaged, or of a newer program, it changes nothing.
func Restore(ctx context.Context, backup, path string) (kept string, err error) {
	if err := restorable(ctx, backup); err != nil {
		return "", fmt.Errorf("%s: %w", backup, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("create the folder of the database: %w", err)
	}
	aside := path + ".restoring"
	if err := errors.Join(os.RemoveAll(aside), copyOf(ctx, backup, aside)); err != nil {
		return "", errors.Join(err, os.RemoveAll(aside))
	}
	switch _, err := os.Lstat(path); {
	case err == nil:
		if err := unused(ctx, path); err != nil {
			return "", errors.Join(err, os.RemoveAll(aside))
		}
		kept = path + ".before-" + time.Now().UTC().Format("2006-01-02T15-04-05")
		if err := os.Rename(path, kept); err != nil {
			return "", errors.Join(err, os.RemoveAll(aside))
		}
	case !errors.Is(err, fs.ErrNotExist):
		return "", errors.Join(err, os.RemoveAll(aside))
	}
	return kept, os.Rename(aside, path)
}

// existing opens an SQLite file that must exist.
func existing(path, more string) (*DB, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+more)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return &DB{sql: db, kind: lite, path: path, limit: migrateLimit}, nil
}

// restorable returns an error unless a file is an undamaged database of the service that this program supports.
func restorable(ctx context.Context, path string) error {
	d, err := existing(path, "mode=ro")
	if err != nil {
		return err
	}
	defer d.Close() // opened for reading only
	if err := d.Check(ctx); err != nil {
		return err
	}
	var has int64
	if err := d.One(ctx, "SELECT MAX(version_id) FROM goose_db_version", nil, &has); err != nil {
		return fmt.Errorf("it is not a database of the service: %w", err)
	}
	if knows, err := newest(); err != nil || has > knows {
		return errors.Join(err, &NewerError{has, knows})
	}
	return nil
}

func copyOf(ctx context.Context, from, to string) error {
	d, err := existing(from, "mode=ro")
	if err != nil {
		return err
	}
	return errors.Join(d.Backup(ctx, to), d.Close())
}

// unused locks a database exclusively, and writes its log into it. It fails if another process uses the database.
func unused(ctx context.Context, path string) error {
	d, err := existing(path, "_pragma=busy_timeout(1000)")
	if err != nil {
		return err
	}
	var mode string
	err = d.One(ctx, "PRAGMA journal_mode=DELETE", nil, &mode)
	var gone *UnavailableError
	if errors.As(err, &gone) || err == nil && mode != "delete" {
		err = ErrInUse
	}
	return errors.Join(err, d.Close())
}
