// Package studio serves Studio: the pages on which a person sees a device live, acts on it and writes a test of what
// was done. They use the REST API like any other client; a session, which a one-time link or a key begins, is their
// credential for it.
package studio
