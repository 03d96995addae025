// Package run takes one case from lease to pack: from a planned case it makes an outcome and its report pack. It does
// not depend on Ginkgo.
package run
