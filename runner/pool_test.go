package runner_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

func drivers2() []drivers.Driver { return []drivers.Driver{phones("A", "B")} }

func lease(t *testing.T, p *pool.Pool, platform dsl.Platform) *pool.Lease {
	t.Helper()
	l, err := p.Lease(t.Context(), platform, "a test")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestEachLeaseIsAnotherDevice(t *testing.T) {
	t.Parallel()
	p := pool.New(drivers2(), pool.Options{Getenv: locksIn(t.TempDir())})
	a, b := lease(t, p, dsl.Android), lease(t, p, dsl.Android)
	if a.Info.ID != "A" || b.Info.ID != "B" {
		t.Errorf("leased %s and %s", a.Info.ID, b.Info.ID)
	}
	b.Release()
	b.Release() // it may be repeated, and releases no other lease
	if again := lease(t, p, dsl.Android); again.Info.ID != "B" {
		t.Errorf("leased %s", again.Info.ID)
	}
}

// TestReleaseWakesTheNext: within one process no case waits for the next round.
func TestReleaseWakesTheNext(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New([]drivers.Driver{newPages(1)}, pool.Options{Getenv: locksIn(dir)})
		first := lease(t, p, dsl.Web)
		var waited time.Duration
		done := make(chan struct{})
		go func() {
			defer close(done)
			began := time.Now()
			lease(t, p, dsl.Web).Release()
			waited = time.Since(began)
		}()
		_ = Sleep(t.Context(), 10*time.Millisecond)
		first.Release()
		<-done
		if waited != 10*time.Millisecond {
			t.Errorf("waited %v for a device that was busy for 10ms", waited)
		}
	})
}

func TestWebSlotsAreLocal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one := pool.New([]drivers.Driver{newPages(2)}, pool.Options{Getenv: locksIn(dir)})
	two := pool.New([]drivers.Driver{newPages(2)}, pool.Options{Getenv: locksIn(dir)})
	a, b := lease(t, one, dsl.Web), lease(t, two, dsl.Web)
	if a.Info.ID != "web-1" || b.Info.ID != "web-1" {
		t.Errorf("two processes' pages stand in each other's way: %s, %s", a.Info.ID, b.Info.ID)
	}
	if c := lease(t, one, dsl.Web); c.Info.ID != "web-2" {
		t.Errorf("leased %s twice", c.Info.ID)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*", "*")); err != nil || len(files) > 0 {
		t.Errorf("lock files %v, %v", files, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if l, err := one.Lease(ctx, dsl.Web, "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a third page: %+v, %v", l, err)
	}
}

// TestPoolBeside: two pools of one process, which open pages with their own drivers, never lease a device twice, wake
// each other, and each end their own driver.
func TestPoolBeside(t *testing.T) {
	t.Parallel()
	f, own, other := phones("A"), newPages(2), newPages(2)
	p := pool.New([]drivers.Driver{f, own}, pool.Options{Getenv: locksIn(t.TempDir())})
	beside := p.WithDriver(other)
	a, b := lease(t, p, dsl.Web), lease(t, beside, dsl.Web)
	if a.Info.ID != "web-1" || b.Info.ID != "web-2" {
		t.Errorf("leased %s and %s", a.Info.ID, b.Info.ID)
	}
	phone := lease(t, beside, dsl.Android)
	var busy *pool.BusyError
	for _, one := range []*pool.Pool{p, beside} {
		if _, err := one.TakeAny(t.Context(), dsl.Web, "x"); !errors.As(err, &busy) {
			t.Errorf("a third page: %v", err)
		}
		if _, err := one.Take(t.Context(), "A", "x"); !errors.As(err, &busy) {
			t.Errorf("the phone again: %v", err)
		}
		if !one.Held(dsl.Web, "web-1") || !one.Held(dsl.Web, "web-2") {
			t.Error("what is held is not")
		}
	}
	for _, l := range []*pool.Lease{a, b, phone} {
		if _, err := l.Open(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(own.opened, []string{"web-1"}) || !slices.Equal(other.opened, []string{"web-2"}) ||
		!slices.Equal(f.opened, []string{"A"}) {
		t.Errorf("opened %v, %v and %v", own.opened, other.opened, f.opened)
	}
	b.Release()
	if again := lease(t, p, dsl.Web); again.Info.ID != "web-2" {
		t.Errorf("leased %s", again.Info.ID)
	}
	ends := func() (all []int) {
		for _, d := range []*fleet{f, own.fleet, other.fleet} {
			n, _ := d.ends()
			all = append(all, n)
		}
		return all
	}
	if err := beside.Close(); err != nil || !slices.Equal(ends(), []int{0, 0, 1}) {
		t.Errorf("%v, ended %v", err, ends())
	}
	if err := p.Close(); err != nil || !slices.Equal(ends(), []int{1, 1, 1}) {
		t.Errorf("%v, ended %v", err, ends())
	}
}

func TestDeviceThatWasNamedIsTheOnlyOne(t *testing.T) {
	t.Parallel()
	for _, c := range []run.Config{{Device: "B"}, {AndroidSerial: "B"}, {Device: "B", AndroidSerial: "A"}} {
		c.Getenv = locksIn(t.TempDir())
		p := pool.New([]drivers.Driver{phones("A", "B"), newPages(1)}, c.PoolOptions())
		if l := lease(t, p, dsl.Android); l.Info.ID != "B" {
			t.Errorf("leased %s", l.Info.ID)
		}
		_, err := p.Lease(t.Context(), dsl.Web, "x")
		if c.Device != "" && err == nil || c.Device == "" && err != nil {
			t.Errorf("with --device %q the browser gives %v", c.Device, err)
		}
	}
}

func TestSkipSaysWhyThereIsNoDevice(t *testing.T) {
	t.Parallel()
	unauthorized := phones("A")
	unauthorized.infos[0].State, unauthorized.infos[0].Problem = "unauthorized", "accept the question on its screen"
	missing := phones()
	missing.err = &drivers.Unavailable{What: "adb is not installed", Fix: "run `taproot setup`"}
	for _, test := range []struct {
		name     string
		fleet    *fleet
		device   string
		platform dsl.Platform
		words    []string
	}{
		{"none", phones(), "", dsl.Android, []string{"no Android device is attached", "taproot sim"}},
		{"only an unauthorized one", unauthorized, "", dsl.Android, []string{"A is unauthorized: accept the question"}},
		{"another than the one that was named", phones("A"), "Z", dsl.Android,
			[]string{"device Z is not attached; attached: A"}},
		{"no adb", missing, "", dsl.Android, []string{"adb is not installed", "setup"}},
		{"a platform without a driver", phones("A"), "", dsl.IOS, []string{"no driver for platform", "ios"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCase(t, "sample", test.platform, "Ready")
			r := newRunner(t, run.Config{Device: test.device}, test.fleet)
			o := r.Run(t.Context(), c)
			wantResult(t, o, event.Skipped, test.words...)
			if len(o.CaseResult.Steps) != 1 || o.CaseResult.Steps[0].Result != event.Unreached {
				t.Errorf("steps %+v", o.CaseResult.Steps)
			}
			r = newRunner(t, run.Config{Device: test.device, RequireDevices: true}, test.fleet)
			wantResult(t, r.Run(t.Context(), c), event.Error, test.words...)
		})
	}
}

func TestListThatFailsIsAnError(t *testing.T) {
	t.Parallel()
	f := phones()
	f.err = errors.New("reach the adb server: connection reset")
	wantResult(t, newRunner(t, run.Config{}, f).Run(t.Context(), newCase(t, "sample", dsl.Android, "Ready")), event.Error,
		"connection reset")
}

// TestDeviceThatVanishedIsAnErrorNotASkip: it is waited for a while, once.
func TestDeviceThatVanishedIsAnErrorNotASkip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := phones("A")
		r := newRunner(t, run.Config{}, f)
		wantResult(t, r.Run(t.Context(), newCase(t, "one", dsl.Android, "Ready")), event.Pass)
		f.set(func() { f.infos = nil })
		began := time.Now()
		wantResult(t, r.Run(t.Context(), newCase(t, "two", dsl.Android, "Ready")), event.Error, "A was attached")
		first := time.Since(began)
		wantResult(t, r.Run(t.Context(), newCase(t, "three", dsl.Android, "Ready")), event.Error, "A was attached")
		if second := time.Since(began) - first; first < 10*time.Second || second > 2*time.Second {
			t.Errorf("the first case waited %v, the next %v", first, second)
		}
		if f.asked > 20 {
			t.Errorf("the driver was asked %d times", f.asked)
		}
	})
}

func TestDeviceThatComesBackIsUsedAgain(t *testing.T) {
	for name, away := range map[string]func(f *fleet){
		"gone":            func(f *fleet) { f.infos = nil },
		"offline":         func(f *fleet) { f.infos[0].State = "offline" },
		"no server":       func(f *fleet) { f.err = errors.New("connection reset") },
		"adb uninstalled": func(f *fleet) { f.err = &drivers.Unavailable{} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := phones("A")
				r := newRunner(t, run.Config{}, f)
				wantResult(t, r.Run(t.Context(), newCase(t, "one", dsl.Android, "Ready")), event.Pass)
				for i, id := range []string{"two", "three"} { // it may go away more than once
					f.set(func() { away(f) })
					_ = Sleep(t.Context(), 20*time.Second)
					time.AfterFunc(5*time.Second, func() {
						f.set(func() { f.infos, f.err = phones("A").infos, nil })
					})
					wantResult(t, r.Run(t.Context(), newCase(t, id, dsl.Android, "Ready")), event.Pass)
					if len(f.opened) != i+2 {
						t.Errorf("opened %v", f.opened)
					}
				}
			})
		})
	}
}

// TestListIsAskedForOnceBySeveral: a phone that hangs makes the list slow, and every case would ask for itself.
func TestListIsAskedForOnceBySeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := phones("A", "B", "C", "D")
		p := pool.New([]drivers.Driver{slowList{f}}, pool.Options{Getenv: locksIn(t.TempDir())})
		began := time.Now()
		leases := make(chan *pool.Lease)
		for range 4 {
			go func() { leases <- lease(t, p, dsl.Android) }()
		}
		for range 4 {
			defer (<-leases).Release()
		}
		if took := time.Since(began); took > 7*time.Second || f.asked != 1 {
			t.Errorf("asked %d times in %v", f.asked, took)
		}
	})
}

// slowList takes as long as a list with a hanging phone.
type slowList struct{ *fleet }

func (s slowList) Devices(ctx context.Context) ([]drivers.Info, error) {
	if err := Sleep(ctx, 6*time.Second); err != nil {
		return nil, err
	}
	return s.fleet.Devices(ctx)
}

// TestFreeDeviceIsTakenWithoutANewList: what a hanging phone costs is not paid before each case.
func TestFreeDeviceIsTakenWithoutANewList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := phones("A")
		p := pool.New([]drivers.Driver{slowList{f}}, pool.Options{Getenv: locksIn(t.TempDir())})
		lease(t, p, dsl.Android).Release()
		_ = Sleep(t.Context(), 5*time.Second)
		began := time.Now()
		lease(t, p, dsl.Android).Release()
		if took := time.Since(began); took != 0 {
			t.Errorf("took %v", took)
		}
	})
}

func TestLeaseEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := phones("A")
		p := pool.New([]drivers.Driver{f}, pool.Options{Getenv: locksIn(t.TempDir())})
		defer lease(t, p, dsl.Android).Release()
		ctx, cancel := context.WithCancelCause(t.Context())
		reason := errors.New("somebody pressed Ctrl-C")
		began := time.Now()
		time.AfterFunc(3*time.Second, func() { cancel(reason) })
		if _, err := p.Lease(ctx, dsl.Android, "x"); !errors.Is(err, reason) || time.Since(began) > 4*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

func TestLockFileNamesItsHolderAndKeepsSerialsApart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ids := []string{"127.0.0.1:5555", "127.0.0.1_5555", "../../evil", "Ä", "Ö", "adb-X (2)._adb-tls-connect._tcp"}
	p := pool.New([]drivers.Driver{phones(ids...)}, pool.Options{Getenv: locksIn(dir)})
	var got []string
	for range ids {
		l := lease(t, p, dsl.Android)
		defer l.Release()
		got = append(got, l.Info.ID)
	}
	if !slices.Equal(got, ids) {
		t.Errorf("leased %q", got)
	}
	locks, err := filepath.Glob(filepath.Join(dir, "taproot", "*.lock"))
	if err != nil || len(locks) != len(ids) {
		t.Errorf("lock files %v, %v", locks, err)
	}
	for _, lock := range locks {
		if record, err := os.ReadFile(lock + ".holder"); err != nil || !strings.Contains(string(record), `"what":"a test"`) {
			t.Errorf("%s: %s, %v", lock, record, err)
		}
	}
}

// TestFolderOfLocksIsNotTakenOnTrust: in a temporary directory any user can put a link in its place.
func TestFolderOfLocksIsNotTakenOnTrust(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "taproot")); err != nil {
		t.Fatal(err)
	}
	r := newRunner(t, run.Config{Getenv: locksIn(dir)}, phones("A"))
	wantResult(t, r.Run(t.Context(), newCase(t, "sample", dsl.Android, "Ready")), event.Error, "is not a folder")
}

func TestConfigWithoutAnythingWorks(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	p := pool.New(drivers2(), pool.Options{})
	lease(t, p, dsl.Android).Release()
}

// TestPoolOfRemotes: the devices of several drivers of one platform are leased; the error of one of them counts only
// when no other one has a device, and a device of a remote with the id of one of this machine is left out.
func TestPoolOfRemotes(t *testing.T) {
	t.Parallel()
	own, far, broken := phones("A", "far-1"), phones("far-1", "far-2"), phones()
	for i := range far.infos {
		far.infos[i].Remote = "far"
	}
	broken.err = errors.New("it does not respond")
	p := pool.New([]drivers.Driver{own, broken, far}, pool.Options{Getenv: locksIn(t.TempDir())})
	var got []string
	list, err := p.List(t.Context())
	for _, info := range list {
		got = append(got, info.ID+" "+info.Remote)
	}
	if diff := cmp.Diff([]string{"A ", "far-1 ", "far-2 far"}, got); diff != "" || err == nil {
		t.Errorf("%v %s", err, diff)
	}
	usable, err := p.Usable(t.Context(), dsl.Android)
	if len(usable) != 3 || err != nil {
		t.Errorf("%+v %v", usable, err)
	}
	a, b, c := lease(t, p, dsl.Android), lease(t, p, dsl.Android), lease(t, p, dsl.Android)
	if a.Info.ID != "A" || b.Info.Remote != "" || c.Info.ID != "far-2" || !p.Held(dsl.Android, "far-2") {
		t.Errorf("%+v %+v %+v", a.Info, b.Info, c.Info)
	}
	for _, l := range []*pool.Lease{a, b, c} {
		l.Release()
	}
	if taken, err := p.Take(t.Context(), "far-1", "x"); err != nil || taken.Info.Remote != "" {
		t.Errorf("%+v %v", taken, err)
	} else {
		taken.Release()
	}
	only := pool.New([]drivers.Driver{phones(), far}, pool.Options{Getenv: locksIn(t.TempDir())})
	var none *pool.NoDeviceError
	if l, err := only.TakeAny(t.Context(), dsl.Android, "a page"); !errors.As(err, &none) {
		t.Errorf("one of a remote was taken: %+v %v", l, err)
	}
	two := []pool.Want{pool.WantOf(dsl.Entry{Name: "alice", Platform: dsl.Android})}
	if _, err := only.LeaseAll(t.Context(), pool.SeveralRequest{Wants: two}); err == nil ||
		!strings.Contains(err.Error(), "devices of remotes are for tests with one device") {
		t.Error(err)
	}
}
