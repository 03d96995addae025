// Package received stores report packs that arrive as archives: each valid pack in a run directory of its own.
package received
