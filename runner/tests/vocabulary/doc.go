// Package vocabulary holds tests only: they check the test syntax: each action on each platform that it claims, on a
// simulated phone and in a real browser.
package vocabulary
