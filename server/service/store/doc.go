// Package store keeps the tables of the service: an address of a database goes in, a DB whose schema is up to date
// comes out. SQLite and PostgreSQL take the same SQL, with parameters $1, $2, …; times are microseconds since 1970
// (Time), truths are 0 and 1.
package store
