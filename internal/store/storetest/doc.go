// Package storetest provides tests of the service with a database of each kind: an SQLite file, and a PostgreSQL server
// that it starts.
package storetest
