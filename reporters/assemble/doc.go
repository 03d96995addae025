// Package assemble ends a run: of the packs in its directory it makes everything that is told of the run as a whole.
package assemble
