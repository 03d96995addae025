// Package record records a person's actions on a page as a test. The code is in runner/internal/record; this is what
// other folders need of it.
package record
