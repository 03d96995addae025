// Package record tells what of a page takes more than a tap when a test is recorded: lists, files, dialogs and tabs go
// in as places and states of a device, and steps that do the same come out.
package record
