// Package capture takes screenshots, records the screen, and shows it while it changes.
package capture
