// Package ops has the commands that serve: serve, mcp, farm, host, admin, sim, studio.
package ops
