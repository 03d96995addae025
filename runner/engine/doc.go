// Package engine runs one case on one device: a planned case and an open device go in, events and pictures come out of
// it into a sink as they happen. It knows nothing of Ginkgo, of other cases, or of how reports look.
package engine
