package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/result/comment"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/runner/plan"
)

func newCommentCommand(env *process.Env, at locator) *cobra.Command {
	var job string
	var dry bool
	cmd := &cobra.Command{
		Use:   "comment [RUN]",
		Short: "write the results into a comment of the pull or merge request",
		Long: "comment writes the results of a run into one comment of the pull request (GitHub) or merge request\n" +
			"(GitLab) of the CI job. The next run updates it; each job has a section of its own.\n\n" +
			"GitHub Actions: GITHUB_TOKEN with the permission pull-requests: write (GITHUB_EVENT_PATH and GITHUB_API_URL\n" +
			"are set by Actions). GitLab CI: GITLAB_TOKEN with the scope api (CI_API_V4_URL, CI_PROJECT_ID and\n" +
			"CI_MERGE_REQUEST_IID are set in pipelines of merge requests).\n\n" +
			"Outside of a request it prints a sentence, and the exit code is 0. TAPROOT_REPORT_URL is the link to the\n" +
			"report; otherwise the comment links to the CI job.",
		Example: "  taproot report comment\n  taproot report comment --job \"pages, firefox\"\n" +
			"  taproot report comment --dry-run",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := at.linkedRun(env, args)
			if err != nil {
				return err
			}
			page := comment.Page{Job: job, Link: run.link}
			if dry {
				page.Job = cmp.Or(job, "job")
				fmt.Fprint(env.Stdout, comment.Section(run.Run, page, 0))
				return nil
			}
			return commentOn(cmd.Context(), env, run.Run, page)
		},
	}
	cmd.Flags().StringVar(&job, "job", "", "`NAME` of the section (default: the name of the CI job)")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "print the section and send nothing")
	return cmd
}

// commentOn writes the section of a run; page has what the user has set.
func commentOn(ctx context.Context, env *process.Env, run *history.Run, page comment.Page) error {
	target, err := comment.FromEnv(env.Getenv)
	var none *comment.None
	if errors.As(err, &none) {
		fmt.Fprintf(env.Stdout, "no comment: %v\n", err)
		return nil
	}
	if err != nil {
		return &plan.Usage{Msg: err.Error()}
	}
	page = comment.Page{Job: cmp.Or(page.Job, target.Job, "taproot"), Commit: target.Commit,
		Link: cmp.Or(page.Link, target.Link)}
	created, err := target.Update(ctx, comment.Post{Job: page.Job,
		Body: func(limit int) string { return comment.Section(run, page, limit) }})
	if err != nil {
		return fmt.Errorf("comment on %s: %w", target.Name, err)
	}
	done := "updated the comment of"
	if created {
		done = "commented on"
	}
	fmt.Fprintf(env.Stdout, "%s %s\n", done, target.Name)
	return nil
}
