// Package drivers is the contract between Taproot and what it drives: devices, their element trees, the matching of
// selectors against a tree, and the kinds of errors on which verdicts depend.
package drivers
