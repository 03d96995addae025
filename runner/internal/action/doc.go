// Package action performs the vocabulary: one typed argument struct goes in, the device is driven until what was asked
// for is done or seen, and the proof of it, or a Failure that says what was there instead, comes out.
package action
