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
	// SQLite lets one write at a time: who waits here is woken in order, rather than asking again and again
	writer sync.Mutex
	limit  time.Duration
}

type kind string

const (
	lite     kind = "sqlite"
	postgres kind = "postgres"
)

// callLimit is how long a transaction may take: a database that is gone must not hold requests for ever.
const callLimit = 10 * time.Second

// ErrNoRow means that a query found nothing.
var ErrNoRow = sql.ErrNoRows

// Open connects to postgres://…, or opens the file of a path or of sqlite:PATH, which is made when there is none. The
// schema is not looked at: Migrate does that.
func Open(ctx context.Context, address string) (*DB, error) {
	d := &DB{limit: callLimit}
	source := ""
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		d.kind = postgres
	} else {
		d.kind, d.path = lite, strings.TrimPrefix(address, "sqlite:")
		if strings.Contains(d.path, "://") {
			return nil, errors.New(
				"the address of the database must begin with postgres:// or sqlite:, or be the path of a file")
		}
		if err := private(d.path); err != nil {
			return nil, err
		}
		source = "file:" + (&url.URL{Path: d.path}).EscapedPath() +
			"?_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_pragma=secure_delete(1)"
	}
	var err error
	if d.kind == postgres {
		d.sql, err = openPostgres(address)
	} else {
		d.sql, err = sql.Open("sqlite", source)
	}
	if err != nil {
		// the library's words repeat it, with the password
		return nil, errors.New("the address of the database cannot be read")
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

// openPostgres lets the server end a transaction in which nothing is asked for longer than any may take: the process
// that began it was stopped, or its network is cut, and what it has locked must not stay locked until TCP notices,
// which can take hours.
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

// private makes the file and its folder such that other users of the machine cannot read them.
func private(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the folder of the database: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("make the database: %w", err)
	}
	return f.Close()
}

// clean takes the password of an address out of an error.
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

// Close ends all connections.
func (d *DB) Close() error { return d.sql.Close() }

// Kind is "sqlite" or "postgres".
func (d *DB) Kind() string { return string(d.kind) }

// Ping tells whether the database answers.
func (d *DB) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	return d.wrap(d.sql.PingContext(ctx))
}

// Tx is one transaction.
type Tx struct {
	ctx context.Context
	tx  *sql.Tx
	db  *DB
}

// Write runs a transaction: all of what work does is done when it gives nil and Write gives nil, else nothing. Work may
// be called again when the database asks for it.
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
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing
	if err := work(&Tx{ctx, tx, d}); err != nil {
		return err
	}
	return d.wrap(tx.Commit())
}

// Exec changes rows, and tells how many.
func (t *Tx) Exec(query string, args ...any) (int64, error) {
	r, err := t.tx.ExecContext(t.ctx, query, args...)
	if err != nil {
		return 0, t.db.wrap(err)
	}
	n, err := r.RowsAffected()
	return n, t.db.wrap(err)
}

// One reads one row into the variables; ErrNoRow when there is none.
func (t *Tx) One(query string, args []any, into ...any) error {
	return t.db.wrap(t.tx.QueryRowContext(t.ctx, query, args...).Scan(into...))
}

// Each calls row for every row; scan reads its columns.
func (t *Tx) Each(query string, args []any, row func(scan func(...any) error) error) error {
	rows, err := t.tx.QueryContext(t.ctx, query, args...)
	return t.db.each(rows, err, row)
}

// Lock takes a row of a table by its key until the transaction ends, so that others who lock it wait. SQLite has locked
// all already.
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
	defer rows.Close() // Err tells what went wrong
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

// Time is a moment as tables hold it; the zero time is 0.
func Time(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Moment is Time's inverse.
func Moment(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// Truth is a truth as tables hold it.
func Truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
