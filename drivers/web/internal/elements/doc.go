// Package elements acts on elements that selectors pick: it waits until they are ready, acts once, and checks what they
// keep.
package elements
