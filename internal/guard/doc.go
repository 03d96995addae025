// Package guard decides which addresses connections of tests may reach: a policy, a dialer that asks it about each
// address at the moment of connecting, and a local proxy by which browsers connect through that dialer.
package guard
