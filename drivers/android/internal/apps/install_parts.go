package apps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// abandonLimit is for cancelling an installation, which happens after the caller's own time has ended, too.
const abandonLimit = 5 * time.Second

// isSet reports whether a file holds an app in several APKs.
func isSet(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".apks", ".apkm", ".xapk":
		return true
	}
	return false
}

// installParts installs an app that consists of several APKs: all of a folder, or those of an archive that fit the
// phone.
func (n *Installer) installParts(ctx context.Context, path string, info os.FileInfo,
	progress func(done, total int64)) error {
	name := filepath.Base(path)
	ctx, done := context.WithTimeoutCause(ctx, installLimit, n.Phone.Link.TooSlow("install "+name, installLimit))
	defer done()
	ctx, cancel := drivers.Bound(ctx, n.Phone.Life)
	defer cancel()
	set := &apkSet{}
	defer set.close()
	var parts []apkPart
	var err error
	if info.IsDir() {
		if err = set.openFolder(path); err == nil {
			parts, err = set.parts, oneApp(set.parts)
		}
	} else if err = set.openArchive(ctx, path, info.Size()); err == nil {
		var phone traits
		if phone, err = n.traits(ctx); err != nil {
			return err
		}
		parts, err = choose(set.parts, phone)
	}
	switch {
	case ctx.Err() != nil:
		return n.Phone.Link.Fault(ctx, "install "+name, err)
	case errors.Is(err, errDiskFull):
		return fmt.Errorf("device %s: install %s: %w", n.Phone.Link.Serial, name, err)
	case err != nil:
		return fmt.Errorf("device %s: install %s: %w", n.Phone.Link.Serial, name, phone.AsAppError(drivers.ErrNoApp,
			err.Error()))
	}
	return n.installTogether(ctx, name, parts, progress)
}

// traits queries the phone for what decides which parts of an app it needs.
func (n *Installer) traits(ctx context.Context) (traits, error) {
	o, err := n.Phone.Link.Run(ctx, adb.Command{Name: "getprop", ReadOnly: true,
		Line: "getprop ro.product.cpu.abilist; getprop ro.product.cpu.abi"})
	if err != nil {
		return traits{}, err
	}
	abis := strings.FieldsFunc(string(o.Out), func(r rune) bool { return r == ',' || r == '\n' || r == '\r' || r == ' ' })
	return traits{abis: abis, density: n.Phone.Info.Density}, nil
}

var sessionMade = lazyregexp.New(`(?m)^Success.*\[(\d+)\]`)

// installTogether installs APKs in one session of the package manager, which takes all of them or none.
func (n *Installer) installTogether(ctx context.Context, name string, parts []apkPart,
	progress func(done, total int64)) error {
	manager := "exec:pm "
	if streams, err := n.Phone.Link.Has(ctx, "cmd"); err != nil {
		return err
	} else if streams {
		manager = "exec:cmd package "
	}
	sent := &counting{told: progress}
	for _, p := range parts {
		sent.total += p.size
	}
	said, err := n.Phone.Link.Feed(ctx, fmt.Sprintf("%sinstall-create -r -t -S %d", manager, sent.total),
		strings.NewReader(""))
	if err != nil {
		return n.Phone.Link.Fault(ctx, "install "+name, err)
	}
	m := sessionMade.FindStringSubmatch(said)
	if m == nil {
		return fmt.Errorf("device %s: install %s: %w", n.Phone.Link.Serial, name, installProblem(said))
	}
	over := false
	defer func() {
		if !over {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonLimit)
			defer cancel()
			if _, err := n.Phone.Link.Feed(ctx, manager+"install-abandon "+m[1], strings.NewReader("")); err != nil {
				n.Phone.Log.Warn("an installation could not be given up", "session", m[1], "error", err)
			}
		}
	}()
	for i, p := range parts {
		sent.r = io.NewSectionReader(p.at, 0, p.size)
		said, err := n.Phone.Link.Feed(ctx, fmt.Sprintf("%sinstall-write -S %d %s %s -", manager, p.size, m[1], p.staged(i)),
			sent)
		if err != nil {
			return n.Phone.Link.Fault(ctx, "install "+name, err)
		}
		if !strings.HasPrefix(strings.TrimSpace(said), "Success") {
			return fmt.Errorf("device %s: install %s: %s: %w", n.Phone.Link.Serial, name, p.name, installProblem(said))
		}
	}
	said, err = n.Phone.Link.Feed(ctx, manager+"install-commit "+m[1], strings.NewReader(""))
	if err != nil {
		return n.Phone.Link.Fault(ctx, "install "+name, err)
	}
	over = true
	if adb.HasLine(said, "Success") {
		return nil
	}
	return fmt.Errorf("device %s: install %s: %w", n.Phone.Link.Serial, name, installProblem(said))
}
