// Package failure has the texts with which tests in Go fail: of the outcome of a test, and of what a read of the screen
// shows for a selector.
package failure
