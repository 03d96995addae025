// Package limit implements rate limits.
package limit
