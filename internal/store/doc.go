// Package store opens the database of the service and keeps its schema up to date. SQLite and PostgreSQL use the same
// SQL, with parameters $1, $2, …; times are microseconds since 1970 (Time), booleans are 0 and 1.
package store
