package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// UnavailableError means that the database is unavailable now, and may be available later.
type UnavailableError struct {
	Err  error
	Full bool // its disk is full
}

func (e *UnavailableError) Error() string {
	if e.Full {
		return "the disk of the database is full: " + e.Err.Error()
	}
	return "the database cannot be reached: " + e.Err.Error()
}

// Unwrap is for errors.Is.
func (e *UnavailableError) Unwrap() error { return e.Err }

// wrap makes an UnavailableError of an outage. It returns other errors unchanged.
func (d *DB) wrap(err error) error {
	var own *UnavailableError
	if err == nil || errors.Is(err, sql.ErrNoRows) || errors.As(err, &own) {
		return err
	}
	if gone(err) {
		return &UnavailableError{Err: err, Full: full(err)}
	}
	return fmt.Errorf("database: %w", err)
}

// gone reports whether the cause is the connection, the server or the disk, and not the query.
func gone(err error) bool {
	var network net.Error
	var connect *pgconn.ConnectError
	var pg *pgconn.PgError
	var file *sqlite.Error
	switch {
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &connect), errors.As(err, &network),
		pgconn.SafeToRetry(err):
		return true
	case errors.As(err, &pg): // connection, resources, operator intervention, system, a read-only server
		return slices.ContainsFunc([]string{"08", "53", "57", "58", "25006"}, func(class string) bool {
			return strings.HasPrefix(pg.Code, class)
		})
	case errors.As(err, &file):
		return slices.Contains([]int{sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL,
			sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}, file.Code()&0xff)
	}
	return strings.Contains(err.Error(), "unexpected EOF") || strings.Contains(err.Error(), "conn closed")
}

// full reports whether the database's disk is full.
func full(err error) bool {
	var pg *pgconn.PgError
	var file *sqlite.Error
	return errors.As(err, &pg) && pg.Code == "53100" || errors.As(err, &file) && file.Code()&0xff == sqlite3.SQLITE_FULL ||
		errors.Is(err, syscall.ENOSPC)
}

// again reports whether a transaction failed because of a concurrent one, and can be repeated.
func again(err error) bool {
	var pg *pgconn.PgError
	var file *sqlite.Error
	switch {
	case errors.As(err, &pg):
		return pg.Code == "40001" || pg.Code == "40P01"
	case errors.As(err, &file):
		return file.Code()&0xff == sqlite3.SQLITE_BUSY
	}
	return false
}
