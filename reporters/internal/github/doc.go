// Package github shows a run in GitHub Actions: annotations at the lines of the YAML files, and the job's summary page.
package github
