package dsl

// WaitStable is the argument of waitStable. Its time limit is the step option timeoutMs.
type WaitStable struct{}
