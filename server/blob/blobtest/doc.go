// Package blobtest is a server of S3's protocol for tests: it checks signatures and sums by itself, gives lists in
// small pages, and fails when it is told to.
package blobtest
