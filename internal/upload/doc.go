// Package upload unpacks tar.gz archives from untrusted clients within limits, and leaves nothing behind when it
// refuses one.
package upload
