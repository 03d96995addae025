// Package rest is the transport of the REST API: it admits requests, decodes and encodes them, describes the
// operations, and converts errors to responses.
package rest
