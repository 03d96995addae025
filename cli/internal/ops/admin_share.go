package ops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/farm/queue"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/server/service"
)

// adminShares are the commands for the shares of projects in a farm.
func adminShares(env *process.Env,
	add func(string, string, int, func(context.Context, *service.Service, []string) error) *cobra.Command) {
	var weight, limit int
	var set *cobra.Command
	set = add("share PROJECT",
		"print or set a project's share of a farm: its weight compared with others, and how many of its cases run at "+
			"once", 1, func(ctx context.Context, s *service.Service, args []string) error {
			if _, err := s.Operator().Project(ctx, args[0]); errors.Is(err, service.ErrNotFound) {
				return &plan.Usage{Msg: fmt.Sprintf("there is no project %s: taproot admin projects lists them", args[0])}
			} else if err != nil {
				return err
			}
			q := queue.New(s.DB(), nil)
			list, err := q.Shares(ctx, args[0])
			if err != nil {
				return err
			}
			flags := set.Flags()
			if !flags.Changed("weight") && !flags.Changed("limit") {
				return showShares(env.Stdout, list)
			}
			now := list[0]
			if flags.Changed("weight") {
				now.Weight = weight
			}
			if flags.Changed("limit") {
				now.Limit = limit
			}
			if err := q.Share(ctx, now.Project, now.Weight, now.Limit); err != nil {
				return &plan.Usage{Msg: err.Error()}
			}
			return s.Note(ctx, service.Entry{Actor: "operator", Action: "farm.share",
				Target: fmt.Sprintf("%s weight %d limit %d",
					now.Project, now.Weight, now.Limit)})
		})
	set.Flags().IntVar(&weight, "weight", 1,
		"`N` from 1: of two waiting projects, one of weight 2 starts twice as many cases as one of weight 1")
	set.Flags().IntVar(&limit, "limit", 0, "run at most `N` of its cases at once; 0: no limit")
	add("shares", "list the projects' shares of a farm, and their current use", 0,
		func(ctx context.Context, s *service.Service,
			_ []string) error {
			list, err := queue.New(s.DB(), nil).Shares(ctx, "")
			if err != nil {
				return err
			}
			return showShares(env.Stdout, list)
		})
}

func showShares(to io.Writer, list []queue.Share) error {
	w := tabwriter.NewWriter(to, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "PROJECT\tWEIGHT\tLIMIT\tRUNNING\tWAITING")
	for _, s := range list {
		limit := "-"
		if s.Limit > 0 {
			limit = strconv.Itoa(s.Limit)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%d\n", s.Project, s.Weight, limit, s.Running, s.Waiting)
	}
	return w.Flush()
}
