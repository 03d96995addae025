// Package run takes one case from lease to pack: a planned case goes in, an outcome and its report pack come out. It
// knows nothing of Ginkgo.
package run
