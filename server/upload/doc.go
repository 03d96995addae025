// Package upload receives report packs from untrusted clients, as a tar.gz stream. It unpacks a valid pack into a run
// directory of its own, and leaves nothing behind otherwise.
package upload
