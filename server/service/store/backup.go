package store

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// ErrOnlySQLite means that a database has tools of its own for what was asked.
var ErrOnlySQLite = errors.New("this is for SQLite; PostgreSQL has pg_dump and pg_restore")

// Backup writes a copy of an SQLite database, as of one moment, into a new file, while others work with it.
func (d *DB) Backup(ctx context.Context, file string) error {
	if d.kind != lite {
		return ErrOnlySQLite
	}
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s is there already", file)
	}
	if _, err := d.sql.ExecContext(ctx, "VACUUM INTO $1", file); err != nil {
		return errors.Join(d.wrap(err), os.RemoveAll(file))
	}
	if err := os.Chmod(file, 0o600); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Check tells whether the file of an SQLite database is whole.
func (d *DB) Check(ctx context.Context) error {
	if d.kind != lite {
		return ErrOnlySQLite
	}
	var said string
	if err := d.sql.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&said); err != nil {
		return d.wrap(err)
	}
	if said != "ok" {
		return fmt.Errorf("the database is damaged: %s", said)
	}
	return nil
}
