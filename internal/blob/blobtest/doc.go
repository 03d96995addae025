// Package blobtest is an S3-compatible server for tests. It checks signatures and sums, returns lists in small pages,
// and can be made to fail.
package blobtest
