// Package capture takes the screenshots, recordings and logs of one device.
package capture
