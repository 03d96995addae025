package comment

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// Target is the request of a CI job.
type Target struct {
	Name   string // for messages: "pull request 12 of shop/app"
	Job    string // of CI
	Commit string // may be empty
	Link   string // of the CI job; may be empty
	host   host
	settle time.Duration // how long other jobs take between reading and writing
}

// None is an error: the job does not belong to a pull or merge request.
type None struct{ Why string }

func (e *None) Error() string { return e.Why }

// FromEnv returns the request of a job of GitHub Actions or GitLab CI. The error is a *None outside of a request.
func FromEnv(getenv func(string) string) (*Target, error) {
	switch {
	case getenv("GITHUB_EVENT_PATH") != "":
		return gitHub(getenv)
	case getenv("CI_MERGE_REQUEST_IID") != "":
		return gitLab(getenv)
	case getenv("GITLAB_CI") != "":
		return nil, &None{"the pipeline does not belong to a merge request (CI_MERGE_REQUEST_IID is not set)"}
	}
	return nil, &None{"this is not a job of a pull or merge request (neither GITHUB_EVENT_PATH nor CI_MERGE_REQUEST_IID " +
		"is set)"}
}

// settling is the default of Target.settle.
const settling = 2 * time.Second

// gitHubEvent is the part of an event of GitHub that names a pull request.
type gitHubEvent struct {
	PullRequest *struct {
		Number int `json:"number"`
		Head   struct {
			SHA string `json:"sha"`
		} `json:"head"`
	} `json:"pull_request"`
	Issue *struct {
		Number      int             `json:"number"`
		PullRequest json.RawMessage `json:"pull_request"`
	} `json:"issue"`
	WorkflowRun *struct {
		PullRequests []struct {
			Number int `json:"number"`
		} `json:"pull_requests"`
	} `json:"workflow_run"`
	Repository struct {
		FullName string `json:"full_name"`
	} `json:"repository"`
}

// number is that of the pull request; 0: there is none.
func (e gitHubEvent) number() int {
	switch {
	case e.PullRequest != nil:
		return e.PullRequest.Number
	case e.Issue != nil && len(e.Issue.PullRequest) > 0 && string(e.Issue.PullRequest) != "null":
		return e.Issue.Number
	case e.WorkflowRun != nil && len(e.WorkflowRun.PullRequests) > 0:
		return e.WorkflowRun.PullRequests[0].Number
	}
	return 0
}

func gitHub(getenv func(string) string) (*Target, error) {
	data, err := os.ReadFile(getenv("GITHUB_EVENT_PATH"))
	var event gitHubEvent
	if err == nil {
		err = json.Unmarshal(data, &event)
	}
	if err != nil {
		return nil, fmt.Errorf("read the event of GitHub (GITHUB_EVENT_PATH): %w", err)
	}
	number := event.number()
	if number == 0 {
		name := getenv("GITHUB_EVENT_NAME")
		if name == "" {
			name = "of this job"
		}
		return nil, &None{fmt.Sprintf("the event %s does not belong to a pull request", name)}
	}
	repository := getenv("GITHUB_REPOSITORY")
	if repository == "" {
		repository = event.Repository.FullName
	}
	owner, name, both := strings.Cut(repository, "/")
	if !both || owner == "" || name == "" {
		return nil, errors.New("the repository is not known: set GITHUB_REPOSITORY to OWNER/NAME")
	}
	token := getenv("GITHUB_TOKEN")
	if token == "" {
		return nil, errors.New("set GITHUB_TOKEN to write comments, for example env: {GITHUB_TOKEN: ${{ github.token }}}, " +
			"with the permission pull-requests: write")
	}
	api, err := apiURL(getenv("GITHUB_API_URL"), "https://api.github.com", "GITHUB_API_URL")
	if err != nil {
		return nil, err
	}
	at := api.JoinPath("repos", owner, name)
	t := &Target{Name: fmt.Sprintf("pull request %d of %s", number, repository), Job: getenv("GITHUB_JOB"),
		Commit: getenv("GITHUB_SHA"), settle: settling}
	if event.PullRequest != nil && event.PullRequest.Head.SHA != "" {
		t.Commit = event.PullRequest.Head.SHA
	}
	if server, run := getenv("GITHUB_SERVER_URL"), getenv("GITHUB_RUN_ID"); server != "" && run != "" {
		t.Link = strings.TrimRight(server, "/") + "/" + repository + "/actions/runs/" + url.PathEscape(run)
	}
	t.host = &gitHubHost{client: newClient(token, map[string]string{"Authorization": "Bearer " + token,
		"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}),
		list: at.JoinPath("issues", strconv.Itoa(number), "comments"), one: at.JoinPath("issues", "comments")}
	return t, nil
}

func gitLab(getenv func(string) string) (*Target, error) {
	iid, project := getenv("CI_MERGE_REQUEST_IID"), getenv("CI_PROJECT_ID")
	if _, err := strconv.Atoi(iid); err != nil {
		return nil, fmt.Errorf("CI_MERGE_REQUEST_IID=%q is not a number", iid)
	}
	if project == "" {
		project = getenv("CI_PROJECT_PATH")
	}
	if project == "" {
		return nil, errors.New("the project is not known: set CI_PROJECT_ID")
	}
	token := getenv("GITLAB_TOKEN")
	if token == "" {
		return nil, errors.New("set GITLAB_TOKEN to write comments: a token of the project with the scope api; " +
			"CI_JOB_TOKEN may not write them")
	}
	if getenv("CI_API_V4_URL") == "" {
		return nil, errors.New("CI_API_V4_URL is not set")
	}
	api, err := apiURL(getenv("CI_API_V4_URL"), "", "CI_API_V4_URL")
	if err != nil {
		return nil, err
	}
	t := &Target{Name: "merge request " + iid, Job: getenv("CI_JOB_NAME"), Commit: getenv("CI_COMMIT_SHA"),
		Link: getenv("CI_JOB_URL"), settle: settling}
	t.host = &gitLabHost{client: newClient(token, map[string]string{"PRIVATE-TOKEN": token}),
		list: api.JoinPath("projects", url.PathEscape(project), "merge_requests", iid, "notes")}
	return t, nil
}

func apiURL(text, fallback, name string) (*url.URL, error) {
	if text == "" {
		text = fallback
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("%s is not a URL: it must start with https://", name)
	}
	return u, nil
}
