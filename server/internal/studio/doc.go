// Package studio serves Studio: the pages on which a person sees a device live, acts on it and records a test. The
// pages use the REST API like any other client. Their credential is a session, which starts with a one-time link or an
// API key.
package studio
