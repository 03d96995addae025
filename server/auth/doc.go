// Package auth identifies the sender of a request by its headers, which contain an API key or a JSON web token. The
// code is in server/internal/auth; this is what other folders need of it.
package auth
