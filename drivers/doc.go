// Package drivers is the contract between Taproot and what it drives: devices, what they can do, and the kinds of
// errors on which results depend.
package drivers
