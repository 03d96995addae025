package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/blob/blobtest"
	"github.com/taproot-dev/taproot/internal/store/storetest"
)

// asked is a request with its response.
type asked struct {
	began, ended time.Time
	status       int
	retry        string
	body         string
}

// with sends a request with a credential.
func (s *served) with(credential, method, path, body string) (a asked) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		a.body = err.Error()
		return a
	}
	r.Header.Set("Content-Type", "application/json")
	if credential != "" {
		r.Header.Set("Authorization", "Bearer "+credential)
	}
	r.Close = true
	a.began = time.Now()
	res, err := http.DefaultClient.Do(r)
	a.ended = time.Now()
	if err != nil {
		a.body = err.Error()
		return a
	}
	defer res.Body.Close() // it is read
	data, err := io.ReadAll(res.Body)
	if err != nil {
		a.body = err.Error()
		return a
	}
	a.status, a.retry, a.body = res.StatusCode, res.Header.Get("Retry-After"), string(data)
	return a
}

// TestThreeReplicas checks that three processes on one PostgreSQL together accept exactly the plan's requests, for a
// hundred keys in any order. A client that waits as long as the response says succeeds. A key that one process revokes
// is rejected by the others.
func TestThreeReplicas(t *testing.T) {
	t.Parallel()
	keys, rate, each := 100, 600, 7
	if testing.Short() {
		keys, rate, each = 20, 60, 3
	}
	l := newLab(t, 0)
	l.env = append(l.env, "TAPROOT_DATABASE_URL="+storetest.Postgres(t),
		"TAPROOT_SERVICE_SECRET=one that all of the replicas have, and long enough")
	const email, password = "ada@example.com", "four words make this good"
	plan := func(rate int) {
		l.taproot("admin", "plan", email, "enterprise", "--per-minute", fmt.Sprint(rate)).exits(t, 0)
	}
	var replicas []*served
	for range 3 {
		replicas = append(replicas, l.serve("--open-registration", "--data", t.TempDir()))
	}
	account := fmt.Sprintf(`{"email": %q, "password": %q}`, email, password)
	if a := replicas[0].with("", "POST", "/api/auth/register", account); a.status != 201 {
		t.Fatal(a)
	}
	plan(rate)
	var tokens struct{ AccessToken string }
	in := replicas[0].with("", "POST", "/api/auth/login", account)
	if err := json.Unmarshal([]byte(in.body), &tokens); err != nil || in.status != 200 {
		t.Fatal(in, err)
	}
	var all []asked
	made := make([]struct{ ID, Key string }, keys)
	for i := range made {
		a := replicas[i%3].with(tokens.AccessToken, "POST", "/api/keys", `{"name": "CI", "scopes": ["*"]}`)
		if err := json.Unmarshal([]byte(a.body), &made[i]); err != nil || a.status != 201 {
			t.Fatal(a, err)
		}
		all = append(all, a)
	}
	var mu sync.Mutex
	var group sync.WaitGroup
	for n := range 10 {
		group.Go(func() {
			for i := n; i < keys*each; i += 10 {
				a := replicas[i%3].with(made[i%keys].Key, "GET", "/api/runs", "")
				mu.Lock()
				all = append(all, a)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	checkRate(t, all, rate)

	if testing.Short() {
		plan(rate + 100) // instead of a wait of a minute
	}
	key := made[keys-1]
	revoke := func() asked { return replicas[0].with(tokens.AccessToken, "DELETE", "/api/keys/"+key.ID, "") }
	a := revoke()
	for ; a.status == 429; a = revoke() {
		after, err := strconv.Atoi(a.retry)
		if err != nil || after < 1 || after > 60 {
			t.Fatalf("Retry-After: %q", a.retry)
		}
		// the test checks that this is long enough
		time.Sleep(time.Until(a.ended.Add(time.Duration(after) * time.Second)))
		if again := replicas[1].with(tokens.AccessToken, "GET", "/api/runs", ""); again.status != 200 {
			t.Fatalf("after a wait of %d s: %+v", after, again)
		}
	}
	if a.status != 204 {
		t.Fatal(a)
	}
	for i, s := range replicas {
		if a := s.with(key.Key, "GET", "/api/runs", ""); a.status != 401 || time.Since(a.began) > limit {
			t.Errorf("replica %d after the key was revoked: %+v", i, a)
		}
	}
	for _, s := range replicas {
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := s.cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, s.err)
		}
	}
}

// checkRate compares responses with a rate: in no minute more of them than that, and none rejected before.
func checkRate(t *testing.T, all []asked, rate int) {
	t.Helper()
	const slack = 2
	var good []asked
	var refused time.Time
	for _, a := range all {
		switch a.status {
		case 200, 201:
			good = append(good, a)
		case 429:
			if refused.IsZero() || a.ended.Before(refused) {
				refused = a.ended
			}
		default:
			t.Fatalf("%+v", a)
		}
	}
	slices.SortFunc(good, func(a, b asked) int { return a.ended.Compare(b.ended) })
	for i := 0; i+rate+slack < len(good); i++ {
		if d := good[i+rate+slack].ended.Sub(good[i].began); d < time.Minute {
			t.Fatalf("%d requests went through in %s", rate+slack+1, d)
		}
	}
	before := 0
	for _, a := range good {
		if refused.IsZero() || a.began.Before(refused) {
			before++
		}
	}
	if before < rate-slack {
		t.Errorf("a request was refused after %d of %d", before, rate)
	}
	t.Logf("%d of %d requests went through, %d at a rate of %d", len(good), len(all), before, rate)
}

// TestReplicasShareABucket checks that an acknowledged pack still exists after its replica was killed and its disk is
// lost.
func TestReplicasShareABucket(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	bucket := blobtest.Start(t)
	l.env = append(l.env, "TAPROOT_DATABASE_URL="+storetest.Postgres(t),
		"TAPROOT_SERVICE_SECRET=one that all of the replicas have, and long enough", "TAPROOT_BUCKET="+bucket.Address(""))
	for name, value := range bucket.Env() {
		l.env = append(l.env, name+"="+value)
	}
	one, two := l.serve("--open-registration", "--data", t.TempDir()), l.serve("--data", t.TempDir())
	const account = `{"email": "ada@example.com", "password": "four words make this good"}`
	if a := one.with("", "POST", "/api/auth/register", account); a.status != 201 {
		t.Fatal(a)
	}
	var tokens struct{ AccessToken string }
	var made struct{ Key string }
	if a := one.with("", "POST", "/api/auth/login", account); json.Unmarshal([]byte(a.body), &tokens) != nil ||
		a.status != 200 {
		t.Fatal(a)
	}
	if a := one.with(tokens.AccessToken, "POST", "/api/keys",
		`{"name": "CI", "scopes": ["reports:read", "reports:write"]}`); json.Unmarshal([]byte(a.body), &made) != nil ||
		a.status != 201 {
		t.Fatal(a)
	}
	l.write("hello.yaml", "id: hello\nplatform: android\nsteps:\n  - log: hello\n")
	l.taproot("run", "--no-video", "hello.yaml")
	l.env = append(l.env, "TAPROOT_URL="+one.url, "TAPROOT_API_KEY="+made.Key)
	l.taproot("report", "upload", "latest/hello").exits(t, 0)
	if err := one.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = one.cmd.Wait()
	if a := two.with(made.Key, "GET", "/api/reports", ""); a.status != 200 || !strings.Contains(a.body, `"hello"`) {
		t.Errorf("after the replica died that took the pack: %+v", a)
	}
	if err := two.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := two.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, two.err)
	}
	if strings.Contains(two.err.String(), blobtest.Secret) ||
		strings.Contains(two.err.String(), "other replicas do not see them") {
		t.Error(two.err)
	}
}
