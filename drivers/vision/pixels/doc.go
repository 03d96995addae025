// Package pixels compares pictures of one screen: what has changed between two, whether the screen rests, and whether
// it looks as it did.
package pixels
