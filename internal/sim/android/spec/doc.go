// Package spec describes a simulated phone: its options, what differs between API levels, and its faults.
package spec
