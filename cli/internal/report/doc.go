// Package report is taproot report: it verifies, finalizes, exports, merges, opens, packs and sends the reports of
// runs.
package report
