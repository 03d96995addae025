// Package vocabulary defines what tests can hold: the table of actions with their argument structs, and the tests,
// steps and blocks that are made of them.
package vocabulary
