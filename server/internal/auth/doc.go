// Package auth identifies the sender of a request by its headers, which contain an API key or a JSON web token.
package auth
