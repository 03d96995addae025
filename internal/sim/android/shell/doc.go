// Package shell has the programs of a simulated phone's shell, which respond as those of Android do.
package shell
