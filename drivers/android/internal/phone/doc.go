// Package phone holds one phone while it is open: its shell, its record, its lock, and what it must be rid of in the
// end.
package phone
