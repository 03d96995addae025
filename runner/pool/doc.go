// Package pool leases devices to cases. The code is in runner/internal/pool; this is what other folders need of it.
package pool
