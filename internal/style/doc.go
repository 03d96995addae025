// Package style holds the checks of how Taproot is written: words.txt lists words that must not occur, and the tests
// also check doc comments, the length of lines, and names in scripts. It has no code of its own.
package style
