// Package github shows a run in GitHub Actions: annotations at the lines of the YAML files, and the job's summary
// page. The code is in reporters/internal/github; this is what other folders need of it.
package github
