// Package plan turns what the user named (files, folders, test ids, filters) into the cases to run, in an order that
// never depends on chance; it knows no device.
package plan
