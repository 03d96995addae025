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
	"github.com/taproot-dev/taproot/internal/phrase"
)

// Installer installs apps.
type Installer struct{ Phone *phone.Phone }

const (
	installLimit = 5 * time.Minute

	packageBytes = 8 << 30
)

// Install streams a package file, or a set of split APKs, into the phone's package manager; phones without that get the
// file first. It replaces an older version and keeps its data.
func (n *Installer) Install(ctx context.Context, path string) error {
	return n.InstallWatched(ctx, path, nil)
}

// InstallWatched is Install that reports how many bytes the phone has taken.
func (n *Installer) InstallWatched(ctx context.Context, path string, progress func(done, total int64)) error {
	name := filepath.Base(path)
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("device %s: install %s: %w", n.Phone.Link.Serial, name, phone.AsAppError(drivers.ErrNoApp,
			err.Error()))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("device %s: install %s: %w", n.Phone.Link.Serial, name, err)
	}
	switch {
	case strings.EqualFold(filepath.Ext(name), ".aab"):
		return fmt.Errorf("device %s: install %s: %w", n.Phone.Link.Serial, name,
			phone.AsAppError(drivers.ErrNoApp, "it is an app bundle, which no phone "+
				"installs: build a set of APKs by bundletool build-apks --mode=universal, and install the .apks that it writes"))
	case info.IsDir() || isSet(name):
		return n.installParts(ctx, path, info, progress)
	}
	if !info.Mode().IsRegular() || info.Size() == 0 || info.Size() > packageBytes {
		return fmt.Errorf("device %s: install %s: %w", n.Phone.Link.Serial, name,
			phone.AsAppError(drivers.ErrNoApp, "it is not a package file"))
	}
	ctx, done := context.WithTimeoutCause(ctx, installLimit, n.Phone.Link.TooSlow("install "+name, installLimit))
	defer done()
	ctx, cancel := drivers.Bound(ctx, n.Phone.Life)
	defer cancel()
	streams, err := n.Phone.Link.Has(ctx, "cmd")
	if err != nil {
		return err
	}
	said, apk := "", &counting{r: f, total: info.Size(), told: progress}
	if streams {
		said, err = n.Phone.Link.Feed(ctx, fmt.Sprintf("exec:cmd package 'install' -r -t -S %d", info.Size()), apk)
	} else {
		said, err = n.installPushed(ctx, apk, info.ModTime())
	}
	if err != nil {
		return n.Phone.Link.Fault(ctx, "install "+name, err)
	}
	if adb.HasLine(said, "Success") {
		return nil
	}
	return fmt.Errorf("device %s: install %s: %w", n.Phone.Link.Serial, name, installProblem(said))
}

// installPushed is for Android 6 and older.
func (n *Installer) installPushed(ctx context.Context, f io.Reader, modified time.Time) (string, error) {
	remote := n.Phone.TempFile(".apk")
	if err := n.Phone.Link.Push(ctx, f, remote, modified); err != nil {
		return "", err
	}
	o, err := n.Phone.Link.Run(ctx, adb.Command{Name: "pm install", Limit: installLimit, Line: "pm install -r -t " +
		remote +
		"; rm -f " + remote})
	if err == nil {
		n.Phone.Removed(remote)
	}
	return o.Text(), err
}

// counting reports how much was read.
type counting struct {
	r           io.Reader
	done, total int64
	told        func(done, total int64) // may be nil
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.done += int64(n)
	if n > 0 && c.told != nil {
		c.told(c.done, c.total)
	}
	return n, err
}

var ResultCode = lazyregexp.New(`\b((?:INSTALL|DELETE)_[A-Z0-9_]+)\b`)

// installProblem says in words what the package manager answered. What is wrong with the file is the test's business;
// what is wrong with the phone is not.
func installProblem(said string) error {
	m := ResultCode.FindStringSubmatch(said)
	if m == nil {
		return errors.New(adb.Output{Out: []byte(said)}.Reason())
	}
	line := ""
	for l := range strings.Lines(said) {
		if line == "" && strings.Contains(l, m[1]) {
			line = phrase.LimitBytes(strings.TrimSpace(l), 400)
		}
	}
	for _, known := range installProblems() {
		if !strings.HasPrefix(m[1], known.code) {
			continue
		}
		if known.phone {
			return fmt.Errorf("%s (%s)", known.means, line)
		}
		return phone.AsAppError(drivers.ErrNoApp, fmt.Sprintf("%s (%s)", known.means, line))
	}
	return phone.AsAppError(drivers.ErrNoApp, line)
}

type installMeaning struct {
	code  string // the beginning
	phone bool   // it is the phone that is wrong
	means string
}

func installProblems() []installMeaning {
	return []installMeaning{
		{"INSTALL_FAILED_VERSION_DOWNGRADE", false, "the phone has a newer version: uninstall it first"},
		{"INSTALL_FAILED_UPDATE_INCOMPATIBLE", false, "the phone has the app signed with another key: uninstall it first"},
		{"INSTALL_FAILED_SHARED_USER_INCOMPATIBLE", false,
			"the apps with which it shares its user are signed with another key"},
		{"INSTALL_FAILED_ALREADY_EXISTS", false, "the phone has the app and does not replace it: uninstall it first"},
		{"INSTALL_FAILED_NO_MATCHING_ABIS", false, "its native code is for other processors than this phone's"},
		{"INSTALL_FAILED_CPU_ABI_INCOMPATIBLE", false, "its native code is for other processors than this phone's"},
		{"INSTALL_FAILED_OLDER_SDK", false, "it needs a newer Android than this phone's"},
		{"INSTALL_FAILED_NEWER_SDK", false, "it is for an older Android than this phone's"},
		{"INSTALL_FAILED_DEPRECATED_SDK_VERSION", false, "it targets an Android so old that this phone refuses it"},
		{"INSTALL_FAILED_MISSING_SPLIT", false,
			"it is one part of a split app: install the folder, or the .apks, that holds all of its parts"},
		{"INSTALL_FAILED_MISSING_SHARED_LIBRARY", false, "it needs a library that this phone does not have"},
		{"INSTALL_FAILED_MISSING_FEATURE", false, "it needs hardware that this phone does not have"},
		{"INSTALL_FAILED_CONFLICTING_PROVIDER", false, "another app on the phone has a content provider of the same name"},
		{"INSTALL_FAILED_DUPLICATE_PERMISSION", false, "another app on the phone defines the same permission"},
		{"INSTALL_FAILED_DUPLICATE_PACKAGE", false, "the phone has another package of the same name"},
		{"INSTALL_FAILED_NO_SHARED_USER", false, "the user that it wants to share does not exist on this phone"},
		{"INSTALL_FAILED_PERMISSION_MODEL_DOWNGRADE", false,
			"it is for older Androids than the one installed, which knows runtime permissions: uninstall that first"},
		{"INSTALL_FAILED_SANDBOX_VERSION_DOWNGRADE", false, "the phone has it with a stricter sandbox: uninstall it first"},
		{"INSTALL_FAILED_TEST_ONLY", true, "the phone refuses packages that are for tests only"},
		{"INSTALL_FAILED_INVALID_INSTALL_LOCATION", true, "the phone cannot put it where it wants to be"},
		{"INSTALL_FAILED_MEDIA_UNAVAILABLE", true, "the phone's storage for it is not there"},
		{"INSTALL_FAILED_CONTAINER_ERROR", true, "the phone's storage does not take it"},
		{"INSTALL_FAILED_INTERNAL_ERROR", true, "the phone's package manager failed: restart the phone"},
		{"INSTALL_FAILED_DEXOPT", true, "the phone could not prepare it, its storage may be full"},
		{"INSTALL_FAILED_UID_CHANGED", true,
			"the phone has data of an app of that name that it does not give to this one: uninstall that first"},
		{"INSTALL_FAILED_REPLACE_COULDNT_DELETE", true, "the phone cannot remove the older version"},
		{"INSTALL_FAILED_SESSION_INVALID", true, "the phone has given the installation up"},
		{"INSTALL_FAILED_REJECTED_BY_BUILDTYPE", true, "this build of Android refuses it"},
		{"INSTALL_FAILED_PRE_APPROVAL", true, "it was not approved on the phone"},
		{"INSTALL_FAILED_INVALID_APK", false, "the file is not a whole APK"},
		{"INSTALL_FAILED_INSUFFICIENT_STORAGE", true, "the phone's storage is full"},
		{"INSTALL_FAILED_USER_RESTRICTED", true,
			"the phone forbids it over USB: turn on \"Install via USB\" in its developer options, " +
				"and do not cancel the question on its screen"},
		{"INSTALL_FAILED_VERIFICATION", true,
			"the phone's app verifier refused it: turn off \"Verify apps over USB\" in its developer options"},
		{"INSTALL_FAILED_ABORTED", true, "it was refused on the phone"},
		{"INSTALL_PARSE_FAILED_NO_CERTIFICATES", false, "it is not signed"},
		{"INSTALL_PARSE_FAILED_NOT_APK", false, "the file is not an APK"},
		{"INSTALL_PARSE_FAILED_INCONSISTENT_CERTIFICATES", false,
			"the phone has the app signed with another key: uninstall it first"},
		{"INSTALL_PARSE_FAILED", false, "the phone cannot read the APK"},
		{"DELETE_FAILED_DEVICE_POLICY_MANAGER", true,
			"it is a device administrator: take that away in the phone's settings first"},
		{"DELETE_FAILED_OWNER_BLOCKED", true, "the owner of the phone forbids it"},
		{"DELETE_FAILED_USER_RESTRICTED", true, "the phone forbids this user to uninstall apps"},
		{"DELETE_FAILED", true, "the phone refuses to remove it, as it does with apps of the system"},
	}
}

// Uninstall removes an app and its data.
func (a *Apps) Uninstall(ctx context.Context, app string) error {
	pkg, err := a.Packages.PackageOf(app)
	if err != nil {
		return err
	}
	a.App.Forget(pkg)
	o, err := a.Packages.pm(ctx, "uninstall", pkg)
	if err != nil || adb.HasLine(string(o.Out), "Success") {
		return err
	}
	if err := a.Packages.MustBeInstalled(ctx, pkg); err != nil {
		return err
	}
	return fmt.Errorf("device %s: uninstall %s: %w", a.Phone.Link.Serial, pkg, installProblem(o.Text()))
}
