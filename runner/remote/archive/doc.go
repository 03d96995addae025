// Package archive transfers what tests need to other machines. The code is in runner/internal/archive; this is what
// other folders need of it.
package archive
