// Package phrase makes the texts of messages: counts and lists, the word that was meant, and external texts that are
// shortened to end with "…".
package phrase
