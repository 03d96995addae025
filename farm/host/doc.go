// Package host is the part of a farm on the machine with the devices. The code is in farm/internal/host; this is what
// other folders need of it.
package host
