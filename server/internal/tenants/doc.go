// Package tenants finds the project that a request is for: its devices, runs and files.
package tenants
