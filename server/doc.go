// Package server is the REST API: requests go in, are let through or not, and become calls of runner/live, runner/jobs,
// server/upload and reports.
package server
