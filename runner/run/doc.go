// Package run takes one case from lease to pack: from a planned case it makes an outcome and its report pack. The code
// is in runner/internal/run; this is what other folders need of it.
package run
