package ops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/run"
)

// plan finds out which devices the page is for: those of the file's test, or of a new one those of --device NAME=ID.
func (f *studioFlags) plan(env *process.Env) error {
	named := 0
	for _, one := range f.devices {
		if strings.Contains(one, "=") {
			named++
		}
	}
	test, err := f.test(env)
	if err != nil {
		return err
	}
	switch {
	case test != nil && len(test.Devices) > 0:
		f.entries = test.Devices
		if named < len(f.devices) {
			return &plan.Usage{Msg: fmt.Sprintf("--device: the test %s has several devices (%s): write --device %s=ID",
				test.ID, f.names(), f.entries[0].Name)}
		}
		if f.url != "" && f.ofPlatform(dsl.Web) == 0 {
			return &plan.Usage{Msg: "--url: the test " + test.ID + " has no page among its devices"}
		}
	case named > 0 && test != nil:
		return &plan.Usage{Msg: fmt.Sprintf("--device %s: the test %s has one device: write its id alone", f.devices[0],
			test.ID)}
	case named > 0 && (named < len(f.devices) || named < 2):
		return &plan.Usage{Msg: "--device: for a new test with several devices, name two or more: --device alice=ID " +
			"--device bob=ID"}
	case len(f.devices) > 1 && named == 0:
		return &plan.Usage{Msg: "--device: name one device, or of a test with several NAME=ID of each"}
	}
	return f.checkNames()
}

// checkNames checks the names of --device, and makes them the devices of a new test.
func (f *studioFlags) checkNames() error {
	old, ids := len(f.entries) > 0, map[string]bool{}
	for i, one := range f.devices {
		name, id, several := strings.Cut(one, "=")
		if !several {
			return nil
		}
		known := slices.ContainsFunc(f.entries, func(e dsl.Entry) bool { return e.Name == name })
		if old && !known {
			return &plan.Usage{Msg: fmt.Sprintf("--device %s: the test has no device %q: it has %s", one, name,
				f.names())}
		}
		twice := slices.ContainsFunc(f.devices[:i], func(other string) bool { return strings.HasPrefix(other, name+"=") })
		if id == "" || ids[id] || twice {
			return &plan.Usage{Msg: fmt.Sprintf("--device %s: write NAME=ID, each name and each id once", one)}
		}
		ids[id] = true
		if !old {
			f.entries = append(f.entries, dsl.Entry{Name: name})
		}
	}
	if old || len(f.entries) == 0 {
		return nil
	}
	text := "id: recorded\ndevices:\n"
	for _, e := range f.entries {
		text += "  " + e.Name + ": {platform: android}\n"
	}
	first := f.entries[0].Name
	if _, err := dsl.Parse("--device", []byte(text+"steps:\n  - on: {"+first+": [{press: back}]}\n")); err != nil {
		return &plan.Usage{Msg: fmt.Sprintf("--device: the names are not those of devices in a test: %v", err)}
	}
	return nil
}

// lists finds a test that lists its devices, whatever else is wrong with it.
var lists = lazyregexp.New(`(?m)^["']?devices["']?\s*:`)

// test reads the file; nil: there is none, or it has errors, which the page shows. A test that lists its devices must
// be right, because the page has to know them.
func (f *studioFlags) test(env *process.Env) (*dsl.Test, error) {
	if f.file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(env.Dir, filepath.FromSlash(f.file)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &plan.Usage{Msg: err.Error()}
	}
	tests, err := dsl.Parse(f.file, text)
	if err == nil && len(tests) == 1 {
		return tests[0], nil
	}
	if err != nil && lists.Match(text) {
		return nil, &plan.Usage{Msg: "correct the test first, because Studio opens the devices that it lists: " +
			err.Error()}
	}
	return nil, nil
}

// names lists the devices of the test.
func (f *studioFlags) names() string {
	var list []string
	for _, e := range f.entries {
		list = append(list, e.Name)
	}
	return strings.Join(list, ", ")
}

func (f *studioFlags) ofPlatform(p dsl.Platform) (n int) {
	for _, e := range f.entries {
		if e.Platform == p {
			n++
		}
	}
	return n
}

// phones is how many phones the test needs.
func (f *studioFlags) phones() int { return f.ofPlatform(dsl.Android) }

// severalPage is the page of a test with several devices: those of --device, and free ones that suit the others.
func (f *studioFlags) severalPage(ctx context.Context, conf run.Config, query url.Values) (string, error) {
	if conf.Device != "" {
		return "", &plan.Usage{Msg: fmt.Sprintf("TAPROOT_DEVICE=%s: the test names its devices itself (%s)", conf.Device,
			f.names())}
	}
	given := map[string]string{} // ids by names
	for _, one := range f.devices {
		name, id, _ := strings.Cut(one, "=")
		given[name] = id
	}
	list := run.Drivers(conf)
	devices := pool.New(list, conf.PoolOptions())
	defer func() { _ = devices.Close() }() // nothing was opened
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	entries := slices.Clone(f.entries)
	for i, e := range entries {
		if e.Platform == "" { // of a new test
			info, err := findDevice(ctx, list, given[e.Name])
			if err != nil {
				return "", fmt.Errorf("--device %s=%s: %w", e.Name, given[e.Name], err)
			}
			entries[i].Platform = info.Platform
		}
	}
	rejects := func(e dsl.Entry, info drivers.Info) string {
		if id := given[e.Name]; id != "" && id != info.ID {
			return "--device names " + id
		}
		return ""
	}
	picked, err := devices.Pick(ctx, entries, rejects, func(string) bool { return false })
	if err != nil {
		return "", err
	}
	var others []string
	for i, e := range f.entries[1:] {
		others = append(others, e.Name+"="+picked[i+1].ID)
	}
	query.Set("as", f.entries[0].Name)
	if len(others) > 0 { // a test may list one device alone
		query.Set("with", strings.Join(others, ","))
	}
	if f.url != "" {
		query.Set("open", f.url)
	}
	return "/studio/devices/" + url.PathEscape(picked[0].ID) + "?" + query.Encode(), nil
}

// findDevice returns the device of an id.
func findDevice(ctx context.Context, list []drivers.Driver, id string) (drivers.Info, error) {
	for _, d := range list {
		infos, err := d.Devices(ctx)
		if err != nil && !drivers.UsuallyMissing(err) {
			return drivers.Info{}, err
		}
		for _, info := range infos {
			if info.ID == id {
				return info, nil
			}
		}
	}
	return drivers.Info{}, errors.New("no device has this id: taproot devices lists them")
}
