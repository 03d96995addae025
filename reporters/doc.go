// Package reporters ends a run: of the packs in its directory it makes everything that is told of the run as a whole.
//
// Events go in as they happen (event), are kept at once in a pack for each case (pack), and the readable files of
// specification §2.3 are derived from them alone (markdown, html, junit, ctrf, github). What is told of a whole run,
// and of the runs before it, is in history.
package reporters
