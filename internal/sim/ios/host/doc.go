// Package host is the machine of simulated iPhones: its programs, notes of what has happened, and faults.
package host
