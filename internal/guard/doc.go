// Package guard decides which addresses the connections of tests may reach. It contains a policy, a dialer that checks
// each address at the moment of connecting, and a local proxy through which browsers use that dialer.
package guard
