// Package hub is the part of a farm that clients talk to: it decides which hosts may join, tracks which are online,
// and connects to them. The code is in farm/internal/hub; this is what other folders need of it.
package hub
