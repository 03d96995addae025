// Package reporters ends a run: from the packs in its directory it makes all reports of the run as a whole.
//
// Events go in as they happen (event) and are written at once to a pack for each case (pack). The readable files of
// specification §2.3 are derived from them alone (markdown, html, junit, ctrf, github). Package history has the data of
// a whole run, and of the runs before it.
package reporters
