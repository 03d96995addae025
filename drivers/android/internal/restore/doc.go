// Package restore notes on disk what a phone has to get back before it is changed, and restores it.
package restore
