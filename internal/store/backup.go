package store

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// ErrOnlySQLite means that an operation is for SQLite only, since PostgreSQL has tools for it.
var ErrOnlySQLite = errors.New("this is for SQLite; PostgreSQL has pg_dump and pg_restore")

// Backup writes a consistent copy of an SQLite database into a new file, while other processes use it.
func (d *DB) Backup(ctx context.Context, file string) error {
	if d.kind != lite {
		return ErrOnlySQLite
	}
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s exists already", file)
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

// Check returns an error if the file of an SQLite database is damaged.
func (d *DB) Check(ctx context.Context) error {
	if d.kind != lite {
		return ErrOnlySQLite
	}
	var result string
	if err := d.sql.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&result); err != nil {
		return d.wrap(err)
	}
	if result != "ok" {
		return fmt.Errorf("the database is damaged: %s", result)
	}
	return nil
}
