// Package pool leases devices to cases. A device has at most one lease at a time, across all processes of the user.
package pool
