// Package store opens the database of the service and keeps its schema up to date. SQLite and PostgreSQL use the same
// SQL, with parameters $1, $2, …; times are microseconds since 1970 (Time), booleans are 0 and 1.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// DB is a database of the service. Safe for concurrent use.
type DB struct {
	sql  *sql.DB
	kind kind
	path string // of SQLite's file
	// SQLite permits one write at a time: waiting goroutines are woken in order here, rather than polling
	writer sync.Mutex
	limit  time.Duration
}

type kind string

const (
	lite     kind = "sqlite"
	postgres kind = "postgres"
)

// callLimit is how long a transaction may take: an unreachable database must not block requests forever.
const callLimit = 10 * time.Second

// ErrNoRow means that a query found nothing.
var ErrNoRow = sql.ErrNoRows

// Open connects to postgres://…, or opens the SQLite file at a path or sqlite:PATH, and creates it if it does not
// exist. It does not check the schema: Migrate does that.
func Open(ctx context.Context, address string) (*DB, error) {
	d := &DB{limit: callLimit}
	source := ""
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		d.kind = postgres
	} else {
		d.kind, d.path = lite, strings.TrimPrefix(address, "sqlite:")
		if strings.Contains(d.path, "://") {
			return nil, errors.New(
				"the address of the database must start with postgres:// or sqlite:, or be the path of a file")
		}
		if err := private(d.path); err != nil {
			return nil, err
		}
		source = "file:" + (&url.URL{Path: d.path}).EscapedPath() +
			"?_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
			"&_pragma=foreign_keys(1)&_pragma=secure_delete(1)"
	}
	var err error
	if d.kind == postgres {
		d.sql, err = openPostgres(address)
	} else {
		d.sql, err = sql.Open("sqlite", source)
	}
	if err != nil {
		// the library's message contains the address, with the password
		return nil, errors.New("the address of the database is not valid")
	}
	d.sql.SetMaxOpenConns(16)
	d.sql.SetMaxIdleConns(8)
	d.sql.SetConnMaxLifetime(30 * time.Minute)
	ctx, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	if err := d.sql.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the database: %w", clean(err, address)), d.sql.Close())
	}
	return d, nil
}

// openPostgres makes the server end a transaction that is idle for longer than any may take. Its process may be
// suspended, or its network interrupted, and its locks must not be kept until TCP notices, which can take hours.
func openPostgres(address string) (*sql.DB, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	return stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, fmt.Sprintf("SET idle_in_transaction_session_timeout = %d", callLimit.Milliseconds()))
		return err
	})), nil
}

// private creates the file and its folder so that other users of the machine cannot read them.
func private(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("create the folder of the database: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("create the database: %w", err)
	}
	return f.Close()
}

// clean removes the password of an address from an error.
func clean(err error, address string) error {
	u, bad := url.Parse(address)
	if bad != nil || u.User == nil {
		return err
	}
	if secret, ok := u.User.Password(); ok && secret != "" && strings.Contains(err.Error(), secret) {
		return errors.New(strings.ReplaceAll(err.Error(), secret, "***"))
	}
	return err
}

// Close closes all connections.
func (d *DB) Close() error { return d.sql.Close() }

// Kind returns "sqlite" or "postgres".
func (d *DB) Kind() string { return string(d.kind) }

// Ping returns an error if the database does not respond.
func (d *DB) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	return d.wrap(d.sql.PingContext(ctx))
}

// Tx is a transaction.
type Tx struct {
	ctx context.Context
	tx  *sql.Tx
	db  *DB
}

// Write runs a transaction, which is committed if work returns nil. When the database requires it, work is called
// again.
func (d *DB) Write(ctx context.Context, work func(*Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	for attempt := 0; ; attempt++ {
		err := d.once(ctx, work)
		if err == nil || attempt == 4 || !again(err) || ctx.Err() != nil {
			return err
		}
	}
}

func (d *DB) once(ctx context.Context, work func(*Tx) error) error {
	if d.kind == lite {
		d.writer.Lock()
		defer d.writer.Unlock()
	}
	tx, err := d.sql.BeginTx(ctx, nil)
	if err != nil {
		return d.wrap(err)
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it has no effect
	if err := work(&Tx{ctx, tx, d}); err != nil {
		return err
	}
	return d.wrap(tx.Commit())
}

// Exec changes rows, and returns their number.
func (t *Tx) Exec(query string, args ...any) (int64, error) {
	r, err := t.tx.ExecContext(t.ctx, query, args...)
	if err != nil {
		return 0, t.db.wrap(err)
	}
	n, err := r.RowsAffected()
	return n, t.db.wrap(err)
}

// One reads one row into the variables, or returns ErrNoRow.
func (t *Tx) One(query string, args []any, into ...any) error {
	return t.db.wrap(t.tx.QueryRowContext(t.ctx, query, args...).Scan(into...))
}

// Each calls row for every row; scan reads its columns.
func (t *Tx) Each(query string, args []any, row func(scan func(...any) error) error) error {
	rows, err := t.tx.QueryContext(t.ctx, query, args...)
	return t.db.each(rows, err, row)
}

// Lock reads a row of a table by its key and locks it until the transaction ends. SQLite has locked the whole database
// already.
func (t *Tx) Lock(query string, args []any, into ...any) error {
	if t.db.kind == postgres {
		query += " FOR UPDATE"
	}
	return t.One(query, args, into...)
}

// One reads one row outside of a transaction.
func (d *DB) One(ctx context.Context, query string, args []any, into ...any) error {
	ctx, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	return d.wrap(d.sql.QueryRowContext(ctx, query, args...).Scan(into...))
}

// Each reads rows outside of a transaction.
func (d *DB) Each(ctx context.Context, query string, args []any, row func(scan func(...any) error) error) error {
	ctx, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	rows, err := d.sql.QueryContext(ctx, query, args...)
	return d.each(rows, err, row)
}

func (d *DB) each(rows *sql.Rows, err error, row func(scan func(...any) error) error) error {
	if err != nil {
		return d.wrap(err)
	}
	defer rows.Close() // Err returns the errors
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return d.wrap(err)
		}
	}
	return d.wrap(rows.Err())
}

// Exec changes rows in a transaction of its own.
func (d *DB) Exec(ctx context.Context, query string, args ...any) (n int64, err error) {
	err = d.Write(ctx, func(t *Tx) error {
		n, err = t.Exec(query, args...)
		return err
	})
	return n, err
}

// Time returns a moment as tables store it; the zero time is 0.
func Time(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Moment is the inverse of Time.
func Moment(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// Truth returns a boolean as tables store it.
func Truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
