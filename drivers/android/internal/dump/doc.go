// Package dump reads the screen by uiautomator, and parses window dumps of any origin.
package dump
