package android

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/shorten"
)

const (
	mediaDir    = "/storage/emulated/0/DCIM/Taproot"
	mediaLimit  = 15 * time.Second // for the scanner to find the file
	mediaPoll   = 200 * time.Millisecond
	mediaUpload = 3 * time.Minute
	mediaBytes  = 2 << 30
)

var (
	mediaName = lazyregexp.New(`^[A-Za-z0-9._-]{1,120}$`)
	mediaKind = lazyregexp.New(`(?i)\.(jpe?g|png|gif|webp|heic|heif|bmp|mp4|3gp|mkv|webm|mov|mp3|m4a|ogg|wav)$`)
)

// AddMedia pushes the file into the camera's folder, notifies the media scanner, and waits until the gallery's own
// index has it.
func (y *system) AddMedia(ctx context.Context, path string) error {
	base := filepath.Base(path)
	fail := func(err error) error {
		return fmt.Errorf("device %s: add %s to the gallery: %w", y.phone.link.serial, base, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return fail(asAppError(drivers.ErrNotActionable, err.Error()))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fail(err)
	}
	if !info.Mode().IsRegular() || info.Size() == 0 || info.Size() > mediaBytes || !mediaKind.MatchString(base) {
		return fail(asAppError(drivers.ErrNotActionable,
			"it is not an image, video or sound with an extension that galleries know (jpg, png, mp4, …)"))
	}
	name := rand.Text()[:8] + "-" + strings.Map(func(r rune) rune {
		if mediaName.MatchString(string(r)) {
			return r
		}
		return '_'
	}, shorten.Bytes(base, 100))
	if err := y.debts.noteRestore(func(debts *restoreState) { debts.Media = append(debts.Media, name) }); err != nil {
		return err
	}
	if err := y.debts.change(ctx, "make a folder for media", "mkdir -p "+mediaDir); err != nil {
		return err
	}
	if err := y.upload(ctx, f, mediaDir+"/"+name, info.ModTime()); err != nil {
		return y.phone.link.fault(ctx, "push "+base, err)
	}
	return y.scanMedia(ctx, base, mediaDir+"/"+name)
}

// upload copies a file to the phone, in its own time.
func (y *system) upload(ctx context.Context, r io.Reader, remote string, modified time.Time) error {
	ctx, done := context.WithTimeoutCause(ctx, mediaUpload, y.phone.link.tooSlow("push", mediaUpload))
	defer done()
	ctx, cancel := drivers.Bound(ctx, y.phone.life)
	defer cancel()
	return y.phone.link.push(ctx, r, remote, modified)
}

var errUnscanned = errors.New("the phone's media scanner does not find it")

// scanMedia requests the scan in both ways in which Androids have taken it, and then the index.
func (y *system) scanMedia(ctx context.Context, base, remote string) error {
	wait, cancel := context.WithTimeoutCause(ctx, mediaLimit, errUnscanned)
	defer cancel()
	scan := "am broadcast -a android.intent.action.MEDIA_SCANNER_SCAN_FILE -d " + shellescape.Quote("file://"+remote) +
		"; content call --uri content://media --method scan_file --arg " + shellescape.Quote(remote)
	if _, err := y.phone.run(ctx, command{name: "scan media", line: scan}); err != nil {
		return err
	}
	for {
		o, err := y.phone.run(ctx, command{name: "content query", readOnly: true,
			line: "content query --uri content://media/external/file --projection _id --where " +
				shellescape.Quote(mediaWhere(remote))})
		if err != nil {
			return err
		}
		if strings.Contains(string(o.out), "Row: 0 _id=") {
			return nil
		}
		if err := drivers.Pause(wait, mediaPoll); errors.Is(err, errUnscanned) {
			return fmt.Errorf("device %s: add %s to the gallery: %w within %v", y.phone.link.serial, base, err, mediaLimit)
		} else if err != nil {
			return y.phone.link.fault(ctx, "scan media", err)
		}
	}
}

func mediaWhere(remote string) string { return "_data='" + remote + "'" }

// unmediaLines take media out of the gallery again. What is not of the right form is left out: the names lie in a file.
func unmediaLines(names []string) []string {
	var lines []string
	for _, name := range names {
		if !mediaName.MatchString(name) || slices.Contains([]string{".", ".."}, name) {
			continue
		}
		remote := mediaDir + "/" + name
		lines = append(lines, "rm -f "+remote, "content delete --uri content://media/external/file --where "+
			shellescape.Quote(mediaWhere(remote)))
	}
	if len(lines) > 0 {
		lines = append(lines, "{ rmdir "+mediaDir+" 2>/dev/null; true; }")
	}
	return lines
}
