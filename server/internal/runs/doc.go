// Package runs is the part of the REST API that runs tests: tests, runs, reports and uploads of a project.
package runs
