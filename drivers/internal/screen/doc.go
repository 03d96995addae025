// Package screen holds what is on a screen, a tree of elements, and finds in it what a selector means: a Tree and a
// Selector go in, one element comes out, or why there is none. One rule of matching, of relations and of what is seen
// serves all platforms, actions, assertions and their negations.
package screen
