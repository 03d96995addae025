package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrateLimit is how long a replica waits for another one that is changing the schema.
const migrateLimit = 10 * time.Minute

// Migrate brings the schema up to date, each step in a transaction. Several replicas may start at once: one migrates,
// the others wait. It refuses a schema that is newer than this program.
func (d *DB) Migrate(ctx context.Context) (from, to int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, migrateLimit)
	defer cancel()
	folder, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return 0, 0, err
	}
	dialect, options := database.DialectSQLite3, []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
	if d.kind == postgres {
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return 0, 0, err
		}
		dialect, options = database.DialectPostgres, append(options, goose.WithSessionLocker(locker))
	} else {
		d.writer.Lock()
		defer d.writer.Unlock()
	}
	p, err := goose.NewProvider(dialect, d.sql, folder, options...)
	if err != nil {
		return 0, 0, err
	}
	if to, err = newest(); err != nil {
		return 0, 0, err
	}
	if from, err = p.GetDBVersion(ctx); err != nil {
		return 0, 0, d.wrap(err)
	}
	if from > to {
		return from, to, &NewerError{from, to}
	}
	if _, err := p.Up(ctx); err != nil {
		var partial *goose.PartialError
		if errors.As(err, &partial) {
			err = partial.Err
		}
		return from, to, d.wrap(fmt.Errorf("change the schema: %w", err))
	}
	return from, to, nil
}

// newest returns the newest schema of this program.
func newest() (version int64, err error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	for _, file := range files {
		n, bad := goose.NumericComponent(file)
		version, err = max(version, n), errors.Join(err, bad)
	}
	return version, err
}

// NewerError means that a newer program has migrated the database.
type NewerError struct{ Has, Knows int64 }

func (e *NewerError) Error() string {
	return fmt.Sprintf(
		"the database has schema %d and this program supports up to schema %d: start the newer taproot, or restore a backup "+
			"from before the update", e.Has, e.Knows)
}
