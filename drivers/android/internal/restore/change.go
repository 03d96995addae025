package restore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// NewSetting reads the answer of `settings get`.
func NewSetting(space, key, value string) settingRow {
	if value == "null" {
		return settingRow{Space: space, Key: key}
	}
	return settingRow{Space: space, Key: key, Value: &value}
}

// Change runs a command that says by its exit code, or by an exception, whether it did something.
func (b *Debts) Change(ctx context.Context, name, line string) error {
	return b.ChangeNoted(ctx, adb.Command{Name: name, Line: line}, nil)
}

// ChangeNoted is change that notes first what to restore. Of a command that the phone refuses there is nothing.
func (b *Debts) ChangeNoted(ctx context.Context, cmd adb.Command, note func(*State)) error {
	b.mu.Lock()
	before := b.Owed.clone()
	b.mu.Unlock()
	if note != nil {
		if err := b.Note(note); err != nil {
			return err
		}
	}
	o, err := b.Phone.Run(ctx, cmd)
	if err != nil || !o.Failed() {
		return err
	}
	err = fmt.Errorf("device %s: %s: %s", b.Phone.Link.Serial, cmd.Name, b.Phone.Why(o))
	if note != nil && b.Phone.Refusal(o) != "" {
		return errors.Join(err, b.unnote(ctx, before))
	}
	return err
}

// unnote forgets what a refused command was noted for: a setting only where the phone still has the value from before,
// for of several commands one may have changed something.
func (b *Debts) unnote(ctx context.Context, before State) error {
	b.mu.Lock()
	var added []settingRow
	for _, s := range b.Owed.Settings {
		if !slices.ContainsFunc(before.Settings, s.same) {
			added = append(added, s)
		}
	}
	b.mu.Unlock()
	var changed []settingRow
	for _, s := range added {
		o, err := b.Phone.Run(ctx, adb.Command{Name: "settings get", ReadOnly: true, Line: "settings get " + s.Space + " " +
			s.Key})
		now := NewSetting(s.Space, s.Key, strings.TrimSpace(string(o.Out)))
		if err != nil || !now.holds(s) {
			changed = append(changed, s)
		}
	}
	return b.Note(func(debts *State) {
		*debts = before
		debts.Settings = append(debts.Settings, changed...)
	})
}

func AirplaneLine(on bool) string {
	return "cmd connectivity airplane-mode " + map[bool]string{true: "enable", false: "disable"}[on]
}

var LocaleList = lazyregexp.New(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*(,[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)*$`)

// LocaleLine sets an app's languages; none means the system's.
func LocaleLine(pkg, locales string) string {
	line := "cmd locale set-app-locales " + pkg
	if locales != "" {
		line += " --locales " + locales
	}
	return line
}

// LocationProviders are those that apps listen to; the fused one is Android's own.
func LocationProviders() []string { return []string{"gps", "network", "fused"} }

// unmockLines give the real location back.
func unmockLines() []string {
	lines := []string{"appops set com.android.shell android:mock_location allow"} // or else they cannot be removed
	for _, p := range LocationProviders() {
		lines = append(lines, "cmd location providers remove-test-provider "+p)
	}
	return append(lines, "appops set com.android.shell android:mock_location default")
}

const MediaDir = "/storage/emulated/0/DCIM/Taproot"

var MediaName = lazyregexp.New(`^[A-Za-z0-9._-]{1,120}$`)

func MediaWhere(remote string) string { return "_data='" + remote + "'" }

// unmediaLines take media out of the gallery again. What is not of the right form is left out: the names lie in a file.
func unmediaLines(names []string) []string {
	var lines []string
	for _, name := range names {
		if !MediaName.MatchString(name) || slices.Contains([]string{".", ".."}, name) {
			continue
		}
		remote := MediaDir + "/" + name
		lines = append(lines, "rm -f "+remote, "content delete --uri content://media/external/file --where "+
			shellescape.Quote(MediaWhere(remote)))
	}
	if len(lines) > 0 {
		lines = append(lines, "{ rmdir "+MediaDir+" 2>/dev/null; true; }")
	}
	return lines
}
