// Package blob keeps files for several servers at once: a name and a file go in, the same bytes come out on every
// server. A folder that they share does it, or a bucket of S3 and what speaks its protocol.
package blob
