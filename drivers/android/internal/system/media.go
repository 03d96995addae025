package system

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/android/internal/restore"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	mediaLimit  = 15 * time.Second // for the scanner to find the file
	mediaPoll   = 200 * time.Millisecond
	mediaUpload = 3 * time.Minute
	mediaBytes  = 2 << 30
)

var (
	mediaKind = lazyregexp.New(`(?i)\.(jpe?g|png|gif|webp|heic|heif|bmp|mp4|3gp|mkv|webm|mov|mp3|m4a|ogg|wav)$`)
)

// AddMedia pushes the file into the camera's folder, notifies the media scanner, and waits until the gallery's own
// index has it.
func (y *System) AddMedia(ctx context.Context, path string) error {
	base := filepath.Base(path)
	fail := func(err error) error {
		return fmt.Errorf("device %s: add %s to the gallery: %w", y.Phone.Link.Serial, base, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return fail(phone.AsAppError(drivers.ErrNotActionable, err.Error()))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fail(err)
	}
	if !info.Mode().IsRegular() || info.Size() == 0 || info.Size() > mediaBytes || !mediaKind.MatchString(base) {
		return fail(phone.AsAppError(drivers.ErrNotActionable,
			"it is not an image, video or sound with an extension that galleries know (jpg, png, mp4, …)"))
	}
	name := rand.Text()[:8] + "-" + strings.Map(func(r rune) rune {
		if restore.MediaName.MatchString(string(r)) {
			return r
		}
		return '_'
	}, phrase.LimitBytes(base, 100))
	if err := y.Debts.Note(func(debts *restore.State) { debts.Media = append(debts.Media, name) }); err != nil {
		return err
	}
	if err := y.Debts.Change(ctx, "make a folder for media", "mkdir -p "+restore.MediaDir); err != nil {
		return err
	}
	if err := y.upload(ctx, f, restore.MediaDir+"/"+name, info.ModTime()); err != nil {
		return y.Phone.Link.Fault(ctx, "push "+base, err)
	}
	return y.scanMedia(ctx, base, restore.MediaDir+"/"+name)
}

// upload copies a file to the phone, in its own time.
func (y *System) upload(ctx context.Context, r io.Reader, remote string, modified time.Time) error {
	ctx, done := context.WithTimeoutCause(ctx, mediaUpload, y.Phone.Link.TooSlow("push", mediaUpload))
	defer done()
	ctx, cancel := drivers.Bound(ctx, y.Phone.Life)
	defer cancel()
	return y.Phone.Link.Push(ctx, r, remote, modified)
}

var errUnscanned = errors.New("the phone's media scanner does not find it")

// scanMedia requests the scan in both ways in which Androids have taken it, and then the index.
func (y *System) scanMedia(ctx context.Context, base, remote string) error {
	wait, cancel := context.WithTimeoutCause(ctx, mediaLimit, errUnscanned)
	defer cancel()
	scan := "am broadcast -a android.intent.action.MEDIA_SCANNER_SCAN_FILE -d " + shellescape.Quote("file://"+remote) +
		"; content call --uri content://media --method scan_file --arg " + shellescape.Quote(remote)
	if _, err := y.Phone.Run(ctx, adb.Command{Name: "scan media", Line: scan}); err != nil {
		return err
	}
	for {
		o, err := y.Phone.Run(ctx, adb.Command{Name: "content query", ReadOnly: true,
			Line: "content query --uri content://media/external/file --projection _id --where " +
				shellescape.Quote(restore.MediaWhere(remote))})
		if err != nil {
			return err
		}
		if strings.Contains(string(o.Out), "Row: 0 _id=") {
			return nil
		}
		if err := drivers.Pause(wait, mediaPoll); errors.Is(err, errUnscanned) {
			return fmt.Errorf("device %s: add %s to the gallery: %w within %v", y.Phone.Link.Serial, base, err, mediaLimit)
		} else if err != nil {
			return y.Phone.Link.Fault(ctx, "scan media", err)
		}
	}
}

// sharedStorage is where apps and people keep files for each other, and where adb's own user does.
var sharedStorage = []string{"/sdcard/", "/storage/", "/data/local/tmp/"}

// PullFile copies a file of the shared storage, in its own time. What the system keeps elsewhere is for the device's
// shell.
func (y *System) PullFile(ctx context.Context, name string, w io.Writer) error {
	shared := slices.ContainsFunc(sharedStorage, func(folder string) bool { return strings.HasPrefix(name, folder) })
	if !shared || path.Clean(name) != name {
		return fmt.Errorf("device %s: %w: files are read below %s only", y.Phone.Link.Serial, drivers.ErrNoFile,
			strings.Join(sharedStorage, ", "))
	}
	ctx, cancel := drivers.Bound(ctx, y.Phone.Life)
	defer cancel()
	return y.Phone.Link.PullTo(ctx, name, w)
}
