// Package queue stores in SQL which cases wait for devices of a farm, and which host runs which attempt of which case.
// The code is in farm/internal/queue; this is what other folders need of it.
package queue
