// Package input touches a phone and presses its keys by the phone's own tools.
package input
