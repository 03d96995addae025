package dsl

// Tap is the argument of tap.
type Tap struct {
	Selector
}
