package appium

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// maxFile caps a file that is sent or fetched: it goes through one message in base64.
const maxFile = 40 << 20

func encode(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func decode(text string) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	return string(raw), err
}

// Files copies files from and to a phone.
type Files struct {
	*Session
	System *System
}

// PullFile copies a file of the shared storage.
func (f *Files) PullFile(ctx context.Context, name string, w io.Writer) error {
	if !strings.HasPrefix(name, "/") || path.Clean(name) != name {
		return fmt.Errorf("device %s: %w: %q is not an absolute path", f.Device, drivers.ErrNoFile, name)
	}
	var text string
	err := f.Mobile(ctx, "pullFile", map[string]any{"remotePath": name}, &text)
	if webdriver.Is(err, webdriver.UnknownError) {
		return fmt.Errorf("%w: %w", drivers.ErrNoFile, err)
	}
	if err != nil {
		return f.Unsupported("copy files", err)
	}
	raw, err := decode(text)
	if err != nil {
		return fmt.Errorf("device %s: the file %s cannot be decoded: %w", f.Device, name, err)
	}
	_, err = io.WriteString(w, raw)
	return err
}

// AddMedia copies an image or video into the folder of the camera. The driver has the gallery find it.
func (f *Files) AddMedia(ctx context.Context, file string) error {
	base := filepath.Base(file)
	fail := func(err error) error { return fmt.Errorf("device %s: add %s to the gallery: %w", f.Device, base, err) }
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || info.Size() > maxFile {
		return fail(fmt.Errorf("%w: it is not a file of at most %d MB", drivers.ErrNotActionable, maxFile>>20))
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return fail(err)
	}
	remote := "/sdcard/DCIM/Camera/" + rand.Text()[:8] + strings.ToLower(filepath.Ext(base))
	f.System.Owe("the gallery: "+remote, func(ctx context.Context) error {
		return f.Mobile(ctx, "deleteFile", map[string]any{"remotePath": remote}, nil)
	})
	err = f.Mobile(ctx, "pushFile", map[string]any{"remotePath": remote, "payload": encode(string(data))}, nil)
	return f.Changed("add media", f.Unsupported("copy files", err))
}
