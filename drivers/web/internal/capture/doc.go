// Package capture takes screenshots and a live stream of what a browser draws.
package capture
