// Package pixels compares screenshots of one screen: what has changed between two, whether the screen rests, and
// whether it looks as it did.
package pixels
