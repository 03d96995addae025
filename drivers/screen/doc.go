// Package screen holds what is on a screen, a tree of elements, and finds in it what a selector means: a Tree and a
// Selector go in, one element comes out, or why there is none. The code is in drivers/internal/screen; this is what
// other folders need of it.
package screen
