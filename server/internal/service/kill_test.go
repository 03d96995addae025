package service_test

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server/internal/received"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// The environment variables for the child of TestKilled.
const (
	childDatabase = "TAPROOT_TEST_KILLED_DATABASE"
	childReports  = "TAPROOT_TEST_KILLED_REPORTS"
)

const loaded = "load@example.com"

// TestKilled repeatedly kills a process (SIGKILL) that works for six callers at once, at random moments. It checks that
// every acknowledged project, key and pack is complete, and that the number of counted requests is between those that
// were acknowledged and those that were sent.
func TestKilled(t *testing.T) {
	t.Parallel()
	if os.Getenv(childDatabase) != "" {
		work(t, os.Getenv(childDatabase), os.Getenv(childReports))
		return
	}
	rounds := 50
	if testing.Short() {
		rounds = 4
	}
	storetest.Each(t, func(t *testing.T, address string) {
		s := openLoaded(t, address)
		if _, err := s.Operator().CreateAccount(t.Context(), loaded, password, false); err != nil {
			t.Fatal(err)
		}
		if err := s.Operator().SetPlan(t.Context(), service.PlanChange{Account: loaded, Plan: service.PlanEnterprise,
			PerMinute: 1_000_000}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		reports := t.TempDir()
		acked := map[string][]string{}
		for range rounds {
			killed(t, address, reports, acked)
		}
		afterwards(t, address, reports, acked, rounds)
	})
}

func openLoaded(t *testing.T, address string) *service.Service {
	t.Helper()
	s, err := service.Open(t.Context(), service.Options{Database: address, Secret: secret,
		PublicURL: "https://taproot.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// callers is how many work at once in the child, in addition to the one that uploads.
const callers = 5

// work is the child. It prints each completed action until it is killed.
func work(t *testing.T, address, reports string) {
	s := openLoaded(t, address)
	p, err := s.LogIn(t.Context(), service.LogIn{Email: loaded, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	say := func(kind, what string) { _, _ = os.Stdout.WriteString("acked " + kind + " " + what + "\n") }
	var all sync.WaitGroup
	for range callers {
		all.Go(func() { t.Error(keep(t.Context(), s, p, say)) })
	}
	all.Go(func() {
		packs := &received.Store{Reports: reports}
		for {
			id := strings.ToLower(rand.Text())
			stored, err := packs.Put(t.Context(), bytes.NewReader(packOf(id)))
			if err != nil {
				t.Error(err)
				return
			}
			say("pack", stored.Run+"/"+stored.Pack)
		}
	})
	all.Wait()
}

// keep makes projects, keys in them, and requests with those.
func keep(ctx context.Context, s *service.Service, p *service.Person, say func(kind, what string)) error {
	for {
		project, err := p.CreateProject(ctx, "load")
		if err != nil {
			return err
		}
		say("project", project.ID)
		for range 20 {
			made, err := project.CreateKey(ctx, service.NewKey{Name: "load", Scopes: []string{"*"}})
			if err != nil {
				return err
			}
			say("key", made.Secret)
			who, err := s.Identify(ctx, http.Header{"X-Api-Key": {made.Secret}}, from)
			if err != nil {
				return err
			}
			for range 3 {
				q, err := s.Take(ctx, who, "GET /devices")
				if err != nil || !q.Allowed {
					return errors.Join(err, fmt.Errorf("allowed: %v", q.Allowed))
				}
				say("count", project.ID)
			}
		}
	}
}

func packOf(id string) []byte {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	in := tar.NewWriter(zip)
	for name, text := range map[string]string{"summary.json": `{"id":"` + id +
		`","result":"pass","duration_ms":1,"steps":1,"steps_passed":1,"steps_failed":0,"screenshots":0,"artifacts":[]}`,
		"run.md": "# " + id, "logcat.txt": strings.Repeat(id, 500)} {
		_ = in.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: id + "/" + name, Size: int64(len(text)), Mode: 0o644})
		_, _ = io.WriteString(in, text)
	}
	_ = in.Close()
	_ = zip.Close()
	return out.Bytes()
}

// killed runs the child until it has acknowledged some actions, kills it, and collects all that it has acknowledged.
func killed(t *testing.T, address, reports string, acked map[string][]string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$", "-test.v=false")
	cmd.Env = append(os.Environ(), childDatabase+"="+address, childReports+"="+reports)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	after, _ := rand.Int(rand.Reader, big.NewInt(60))
	left := int(after.Int64()) + 1
	for in := bufio.NewReader(out); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			break // an incomplete line does not count
		}
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[0] != "acked" {
			t.Errorf("the child: %s", line)
			continue
		}
		acked[fields[1]] = append(acked[fields[1]], fields[2])
		if left--; left == 0 {
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || left > 0 {
		t.Fatalf("the child ended by itself: %v", err)
	}
}

// afterwards compares the database and the packs with what was acknowledged.
func afterwards(t *testing.T, address, reports string, acked map[string][]string, rounds int) {
	t.Helper()
	s := openLoaded(t, address)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	p, err := s.LogIn(t.Context(), service.LogIn{Email: loaded, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range acked["key"] {
		if _, err := s.Identify(t.Context(), http.Header{"X-Api-Key": {key}}, from); err != nil {
			t.Errorf("a key that was acknowledged: %v", err)
		}
	}
	for _, id := range acked["project"] {
		if _, err := p.Project(t.Context(), id); err != nil {
			t.Errorf("a project that was acknowledged: %v", err)
		}
	}
	for _, at := range acked["pack"] {
		for _, name := range []string{"summary.json", "run.md", "logcat.txt"} {
			if data, err := os.ReadFile(filepath.Join(reports, at, name)); err != nil ||
				!strings.Contains(string(data), filepath.Base(at)) {
				t.Errorf("a pack that was acknowledged: %v", err)
			}
		}
	}
	whole, _ := filepath.Glob(filepath.Join(reports, "*", "*", "summary.json"))
	for _, file := range whole {
		if files, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*")); len(files) != 3 {
			t.Errorf("an incomplete pack: %v", files)
		}
	}
	days, month := 0, 0
	all, err := p.Projects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range all {
		project, err := p.Project(t.Context(), info.ID)
		if err != nil {
			t.Fatal(err)
		}
		u, err := project.Usage(t.Context(), "2000-01-01")
		if err != nil {
			t.Fatal(err)
		}
		month = u.Used
		for _, d := range u.Days {
			days += d.Requests
		}
	}
	if least, most := len(acked["count"]), len(acked["count"])+rounds*callers; days < least || days > most ||
		month != days {
		t.Errorf("%d requests are counted by day and %d by month; %d were acknowledged and %d sent at most", days, month,
			least, most)
	}
	t.Logf("%d kills: %d projects, %d keys, %d requests, %d packs acknowledged; %d counted", rounds, len(acked["project"]),
		len(acked["key"]), len(acked["count"]), len(acked["pack"]), days)
}
