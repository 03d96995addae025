// Package touch touches the screen of one device: points go in, gestures of WebDriverAgent come out, unless something
// else would take them.
package touch
