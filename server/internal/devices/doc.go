// Package devices is the part of the REST API that shows and uses devices: actions, pages, leases, recordings and
// streams.
package devices
