// Package pool leases devices: what a case needs goes in, a device that nobody else uses comes out, across all
// processes of the user.
package pool
