// Package decide decides what a step does next: recorded observations of a screen (frames) and a want go in, a decision
// comes out. It touches no device and has no clock, goroutine or state of its own, so that any decision can be computed
// again from the frames that it rested on.
package decide
