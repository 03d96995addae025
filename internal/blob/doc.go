// Package blob stores files that several servers share, in a shared folder or in an S3-compatible bucket.
package blob
