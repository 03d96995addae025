// Package testrun knows what a run is a part of: the job of a CI system, and the test that a device is opened for. A
// context passes the test to the driver of the device.
package testrun

import (
	"context"
	"strings"
)

// Test is the test that a device is opened for. Clouds name their sessions after it.
type Test struct {
	ID    string
	Build string // of the CI system, otherwise the run
}

type key struct{}

// With returns a context in which devices are opened for one test.
func With(ctx context.Context, t Test) context.Context { return context.WithValue(ctx, key{}, t) }

// Of returns the test of With; zero: there is none.
func Of(ctx context.Context) Test {
	t, _ := ctx.Value(key{}).(Test)
	return t
}

// CI is a job of a CI system, as its environment describes it. What is not known is empty.
type CI struct {
	Name, Commit, Branch string
	Job                  string // its URL
	Build                string // its number
}

// ciSystems are the variables in which CI systems describe the job; the first system with its sign set counts.
var ciSystems = []struct{ name, sign, commit, branch, job, build string }{
	{"GitHub Actions", "GITHUB_ACTIONS", "GITHUB_SHA", "GITHUB_HEAD_REF GITHUB_REF_NAME", "", "GITHUB_RUN_ID"},
	{"GitLab CI", "GITLAB_CI", "CI_COMMIT_SHA", "CI_COMMIT_REF_NAME", "CI_JOB_URL", "CI_PIPELINE_ID"},
	{"Jenkins", "JENKINS_URL", "GIT_COMMIT", "CHANGE_BRANCH BRANCH_NAME GIT_BRANCH", "BUILD_URL",
		"BUILD_TAG BUILD_NUMBER"},
	{"Buildkite", "BUILDKITE", "BUILDKITE_COMMIT", "BUILDKITE_BRANCH", "BUILDKITE_BUILD_URL", "BUILDKITE_BUILD_NUMBER"},
	{"CircleCI", "CIRCLECI", "CIRCLE_SHA1", "CIRCLE_BRANCH", "CIRCLE_BUILD_URL", "CIRCLE_BUILD_NUM"},
	{"Azure Pipelines", "TF_BUILD", "BUILD_SOURCEVERSION", "BUILD_SOURCEBRANCHNAME", "", "BUILD_BUILDNUMBER"},
	{"Bitbucket Pipelines", "BITBUCKET_BUILD_NUMBER", "BITBUCKET_COMMIT", "BITBUCKET_BRANCH", "",
		"BITBUCKET_BUILD_NUMBER"},
	{"Travis CI", "TRAVIS", "TRAVIS_COMMIT", "TRAVIS_BRANCH", "TRAVIS_JOB_WEB_URL", "TRAVIS_BUILD_NUMBER"},
	{"TeamCity", "TEAMCITY_VERSION", "BUILD_VCS_NUMBER", "", "BUILD_URL", "BUILD_NUMBER"},
}

// CIOf returns the job that runs with an environment; zero: none that is known.
func CIOf(get func(string) string) (ci CI) {
	first := func(names string) string {
		for name := range strings.FieldsSeq(names) {
			if v := get(name); v != "" {
				return v
			}
		}
		return ""
	}
	for _, s := range ciSystems {
		if get(s.sign) != "" {
			ci = CI{Name: s.name, Commit: first(s.commit), Branch: first(s.branch), Job: first(s.job), Build: first(s.build)}
			break
		}
	}
	if ci.Name == "GitHub Actions" && ci.Build != "" {
		ci.Job = strings.TrimRight(get("GITHUB_SERVER_URL"), "/") + "/" + get("GITHUB_REPOSITORY") + "/actions/runs/" +
			ci.Build
	}
	if !strings.HasPrefix(ci.Job, "https://") && !strings.HasPrefix(ci.Job, "http://") {
		ci.Job = ""
	}
	return ci
}
