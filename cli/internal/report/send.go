package report

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/reporters/webhook"
	"github.com/taproot-dev/taproot/runner/plan"
)

func newPackCommand(env *process.Env, at locator) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "pack [RUN[/PACK] …]",
		Short: "write each report pack as an archive, PACK.tar.gz",
		Long: "pack writes a gzip-compressed tar of each pack, as upload sends it: one folder, its files sorted. The same " +
			"pack\n" +
			"results in the same bytes. A pack that is incomplete, or that contains a link, is rejected.",
		Example: "  taproot report pack latest/login --out /tmp",
		RunE: at.withPacks(func(_ *cobra.Command, p reportsDir, dirs []string) error {
			for _, dir := range dirs {
				to := filepath.Join(p.path(out), filepath.Base(dir)+".tar.gz")
				if err := pack.ArchiveFile(dir, to); err != nil {
					return err
				}
				fmt.Fprintln(env.Stdout, to)
			}
			return nil
		}),
	}
	cmd.Flags().StringVarP(&out, "out", "o", ".", "folder for the archives")
	return cmd
}

func newUploadCommand(env *process.Env, at locator) *cobra.Command {
	var again bool
	cmd := &cobra.Command{
		Use:   "upload [RUN[/PACK] …]",
		Short: "send report packs to the service at TAPROOT_URL",
		Long: "upload sends each pack to TAPROOT_URL, with the API key in TAPROOT_API_KEY. It retries temporary failures. " +
			"The\n" +
			"packs that were sent are listed in uploads.json of their run, so that the same command continues after a failure.",
		Example: "  TAPROOT_URL=https://reports.example.com taproot report upload",
		RunE: at.withPacks(func(cmd *cobra.Command, _ reportsDir, dirs []string) error {
			return uploadAll(cmd.Context(), env, dirs, again)
		}),
	}
	cmd.Flags().BoolVar(&again, "again", false, "send packs that were sent before, too")
	return cmd
}

func uploadAll(ctx context.Context, env *process.Env, dirs []string, again bool) error {
	for _, name := range []string{"TAPROOT_URL", "TAPROOT_API_KEY"} {
		if env.Getenv(name) == "" {
			return &plan.Usage{Msg: "set " + name + " to upload"}
		}
	}
	for _, dir := range dirs {
		if !again && uploaded(dir, env.Getenv("TAPROOT_URL")) {
			fmt.Fprintf(env.Stdout, "%s was uploaded before\n", filepath.Base(dir))
			continue
		}
		bar := newBar(env, filepath.Base(dir))
		done, err := pack.Upload(ctx, pack.UploadOptions{URL: env.Getenv("TAPROOT_URL"), Key: env.Getenv("TAPROOT_API_KEY"),
			Pack: dir, Progress: bar.show})
		bar.end()
		if err != nil {
			return fmt.Errorf("%w\n(the same command continues after the packs that were uploaded)", err)
		}
		fmt.Fprintf(env.Stdout, "%s uploaded, %s\n", done.Pack, size(done.Bytes))
		if err := pack.NoteUpload(filepath.Dir(dir), *done); err != nil {
			return err
		}
	}
	return nil
}

// uploaded reports whether uploads.json of the run lists the pack for the service.
func uploaded(dir, url string) bool {
	list, err := pack.ReadUploads(filepath.Dir(dir))
	return err == nil && slices.ContainsFunc(list, func(u pack.Uploaded) bool {
		return u.Pack == filepath.Base(dir) && u.Host == pack.UploadHost(url)
	})
}

func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// bar shows the progress of an upload on a terminal. Elsewhere it prints nothing.
type bar struct {
	env  *process.Env
	name string
	tty  bool
	last time.Time
}

const barCells = 24

func newBar(env *process.Env, name string) *bar {
	file, ok := env.Stderr.(*os.File)
	return &bar{env: env, name: name, tty: ok && term.IsTerminal(int(file.Fd()))}
}

func (b *bar) show(sent, total int64) {
	if !b.tty || total == 0 || sent < total && time.Since(b.last) < 100*time.Millisecond {
		return
	}
	b.last = time.Now()
	fmt.Fprintf(b.env.Stderr, "\r%s\x1b[K", barLine(b.name, sent, total))
}

func (b *bar) end() {
	if b.tty {
		fmt.Fprint(b.env.Stderr, "\r\x1b[K")
	}
}

func barLine(name string, sent, total int64) string {
	full := int(barCells * sent / total)
	return fmt.Sprintf("%s [%s%s] %3d %% of %s", name, strings.Repeat("=", full), strings.Repeat(" ", barCells-full),
		100*sent/total, size(total))
}

func newNotifyCommand(env *process.Env, at locator) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "notify [RUN]",
		Short: "send the message about a run to the chats again, or print it",
		Long: "notify sends a summary of a run to the chats in SLACK_WEBHOOK_URL, FEISHU_WEBHOOK_URL and NOTIFY_URLS " +
			"(several,\n" +
			"separated by commas). The host name of the URL decides on the product: Slack, Feishu, Lark, DingTalk, WeCom,\n" +
			"Discord, Teams, otherwise plain JSON. Append the secret that signs messages to the URL: #secret=… Every run " +
			"with\n" +
			"failures sends its message at the end.\n" +
			"TAPROOT_REPORT_URL is the link in the message; {run} in it becomes the run's name.",
		Example: "  taproot report notify --dry-run",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := at.linkedRun(env, args)
			if err != nil {
				return err
			}
			return notify(cmd.Context(), env, run, dry)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "print the messages and send nothing")
	return cmd
}

func notify(ctx context.Context, env *process.Env, run linkedRun, dry bool) error {
	targets, errs := webhook.Targets(env.Getenv)
	if err := errors.Join(errs...); err != nil {
		return &plan.Usage{Msg: err.Error()}
	}
	if len(targets) == 0 {
		return &plan.Usage{Msg: "no chat is configured: set SLACK_WEBHOOK_URL, FEISHU_WEBHOOK_URL or NOTIFY_URLS"}
	}
	if !webhook.Wanted(run.Run) {
		fmt.Fprintf(env.Stderr, "run %s has no failures: it sends no message at its end\n", run.Name)
	}
	digest := webhook.NewDigest(run.Run, run.link)
	if dry {
		return preview(env, targets, digest)
	}
	bad := 0
	for _, s := range webhook.Send(ctx, targets, digest, webhook.Options{}) {
		if s.OK {
			fmt.Fprintf(env.Stdout, "%s (%s) received the message\n", s.Product, s.From)
			continue
		}
		bad++
		fmt.Fprintf(env.Stderr, "%s (%s) did not receive the message: %s\n", s.Product, s.From, s.Why)
	}
	if bad > 0 {
		return process.Exit(3)
	}
	return nil
}

func preview(env *process.Env, targets []webhook.Target, d webhook.Digest) error {
	for _, t := range targets {
		body, err := webhook.Preview(t.Product, d, time.Now())
		if err != nil {
			return err
		}
		fmt.Fprintf(env.Stdout, "# %s\n%s\n", t, indented(body))
	}
	return nil
}
