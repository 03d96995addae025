// Package auth tells from the headers of a request who sent it: an API key or a JSON web token goes in, an Identity
// comes out.
package auth
