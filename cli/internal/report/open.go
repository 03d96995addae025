package report

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/toolchain"
	"github.com/taproot-dev/taproot/reporters/html"
	"github.com/taproot-dev/taproot/runner/plan"
)

func newOpenCommand(env *process.Env, at locator) *cobra.Command {
	var port int
	var quiet bool
	cmd := &cobra.Command{
		Use:   "open [RUN[/PACK]]",
		Short: "show a report in the browser, with Playwright's traces",
		Long: "open serves the reports folder to this machine only, until it is interrupted, and opens the page of a run " +
			"or of\n" +
			"a report pack. Unlike in a page opened as a file, a trace opens in Playwright's own viewer.",
		Example: "  taproot report open\n  taproot report open latest/login",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := at()
			if err != nil {
				return err
			}
			page, err := p.page(strings.Join(args, ""))
			if err != nil {
				return err
			}
			return p.serve(cmd.Context(), page, port, !quiet)
		},
	}
	cmd.Flags().IntVar(&port, "port", 0, "`PORT` of 127.0.0.1 (default: a free one)")
	cmd.Flags().BoolVar(&quiet, "no-browser", false, "only print the URL")
	return cmd
}

// page returns the URL path of the page of a run or of a pack, relative to the reports folder.
func (p reportsDir) page(word string) (string, error) {
	run, pack, one := strings.Cut(filepath.ToSlash(word), "/")
	dir, err := p.run(run)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, html.IndexFile)
	if one {
		file = filepath.Join(dir, filepath.FromSlash(pack), html.PackFile)
	}
	below, err := filepath.Rel(p.reports, file)
	if err != nil || !filepath.IsLocal(below) {
		return "", &plan.Usage{Msg: fmt.Sprintf("%s is not in %s: name that folder with --reports", file, p.reports)}
	}
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return "", &plan.Usage{
			Msg: fmt.Sprintf("there is no page %s; taproot report seal writes the pages of killed runs", file)}
	}
	return filepath.ToSlash(below), nil
}

// serve serves the reports until ctx ends.
func (p reportsDir) serve(ctx context.Context, page string, port int, browse bool) (err error) {
	root, err := os.OpenRoot(p.reports)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return fmt.Errorf("serve the reports: %w", err)
	}
	viewer, missing := toolchain.TraceViewer(ctx, toolchain.System())
	if missing != nil {
		fmt.Fprintf(p.env.Stderr, "taproot: traces cannot be opened in the report: %v\n", missing)
	}
	server := &http.Server{Handler: reportPages(root.FS(), viewer, listener.Addr().String()),
		ReadHeaderTimeout: 10 * time.Second}
	address := "http://" + listener.Addr().String() + "/" + page
	fmt.Fprintln(p.env.Stdout, address)
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if browse && IsTerminal(p.env) {
		OpenInBrowser(ctx, address)
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Pages serves reports under / and Playwright's viewer, if there is one, under /trace/.
func Pages(reports fs.FS, viewer string) http.Handler {
	mux := http.NewServeMux()
	files := http.FileServerFS(reports)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		for part := range strings.SplitSeq(r.URL.Path, "/") {
			if strings.HasPrefix(part, ".") {
				http.NotFound(w, r)
				return
			}
		}
		if name := path.Base(r.URL.Path); name != html.PackFile && name != html.IndexFile &&
			!strings.HasSuffix(r.URL.Path, "/") {
			// a saved file may be a page, which must not run with the origin of the report
			w.Header().Set("Content-Security-Policy", "sandbox")
		}
		files.ServeHTTP(w, r)
	})
	if viewer != "" {
		mux.Handle("GET /trace/", http.StripPrefix("/trace/", http.FileServer(http.Dir(viewer))))
	}
	return mux
}

// reportPages are Pages for this machine's own browser. Requests for another host name are rejected, which protects the
// port from pages of other sites.
func reportPages(reports fs.FS, viewer, host string) http.Handler {
	pages := Pages(reports, viewer)
	_, port, _ := net.SplitHostPort(host)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != host && r.Host != "localhost:"+port {
			http.Error(w, "this is not a name of this server", http.StatusForbidden)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-cache")
		pages.ServeHTTP(w, r)
	})
}

func IsTerminal(env *process.Env) bool {
	file, ok := env.Stdout.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// OpenInBrowser opens the system's browser. Its absence is not an error, because the URL was printed.
func OpenInBrowser(ctx context.Context, address string) {
	command := map[string][]string{"darwin": {"open"},
		"windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if command == nil {
		command = []string{"xdg-open"}
	}
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], address)...)
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}
