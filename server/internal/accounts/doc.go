// Package accounts is the part of the REST API for accounts and projects, where the server has them.
package accounts
