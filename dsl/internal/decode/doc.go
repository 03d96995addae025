// Package decode turns values with positions into the structs of the vocabulary, and reports everything in them that is
// unknown, missing or contradictory.
package decode
