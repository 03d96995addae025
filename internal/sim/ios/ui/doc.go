// Package ui has the elements of a simulated iPhone's screen, and draws them.
package ui
