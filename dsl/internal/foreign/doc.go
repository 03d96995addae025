// Package foreign is the table of the words that the test syntax refuses: those of other tools, and names that actions
// had before. It translates a step with such a word, and the author's own arguments, into steps of today.
package foreign
