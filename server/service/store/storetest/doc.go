// Package storetest gives tests of the service a database of each kind: an SQLite file, and a PostgreSQL server of
// their own.
package storetest
