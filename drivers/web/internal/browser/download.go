package browser

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// maxSaved caps a file that comes in an archive, in bytes.
const maxSaved = 1 << 30

// savedFiles are the files that the pages of a session have offered.
type savedFiles struct {
	*remoteInstance
	count int // only the events of the session use it
}

// passesFiles reports whether a server passes the files on that the browsers of a session save.
func passesFiles(capabilities map[string]any) bool {
	on, _ := capabilities["se:downloadsEnabled"].(bool)
	return on
}

// savesFiles is why the files that pages offer cannot be had; nil when they can.
func (r *Remote) savesFiles() error {
	if passesFiles(r.Capabilities) || r.isLocal() {
		return nil
	}
	return fmt.Errorf("%w: the browser at the remote %s saves files on another machine. A Selenium Grid passes them on: "+
		"start it with --enable-managed-downloads true, and write se:downloadsEnabled: true into the capabilities",
		drivers.ErrUnsupported, r.Name)
}

// saveFiles has what pages offer saved.
func (i *reportingInstance) saveFiles(ctx context.Context) (err error) {
	if i.remote.savesFiles() != nil {
		return nil
	}
	if i.folder, err = os.MkdirTemp("", "taproot-downloads-*"); err != nil {
		return fmt.Errorf("a folder for downloads: %w", err)
	}
	s := &savedFiles{remoteInstance: i.remoteInstance}
	if passesFiles(i.remote.Capabilities) {
		return i.events.SaveFiles(ctx, "", s.fetched)
	}
	return i.events.SaveFiles(ctx, i.folder, s.saved)
}

// next is the path of the next file on this machine.
func (s *savedFiles) next() string {
	s.count++
	return filepath.Join(s.folder, "."+strconv.Itoa(s.count))
}

// saved puts a file of this machine aside: the next one of the same name would replace it.
func (s *savedFiles) saved(there string) func(context.Context) (string, error) {
	aside, err := s.next(), os.ErrNotExist
	if filepath.Dir(there) == s.folder {
		err = os.Rename(there, aside)
	}
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%w: the browser at the remote %s has saved the file where it cannot be read here, as one in a "+
			"container does; a Selenium Grid passes files on: se:downloadsEnabled", drivers.ErrUnsupported, s.remote.Name)
	}
	return func(context.Context) (string, error) { return aside, err }
}

// fetched has the server pass a file on.
func (s *savedFiles) fetched(there string) func(context.Context) (string, error) {
	to := s.next()
	return func(ctx context.Context) (string, error) { return to, s.fetch(ctx, there, to) }
}

func (s *savedFiles) fetch(ctx context.Context, there, to string) error {
	archive, err := webdriver.Download(ctx, s.lease.Session, there[strings.LastIndexAny(there, `/\`)+1:])
	if webdriver.Is(err, webdriver.UnknownCommand, webdriver.UnknownMethod) {
		return fmt.Errorf("%w: the remote %s passes no files on: %w", drivers.ErrUnsupported, s.remote.Name, err)
	}
	if err != nil {
		return s.remote.Sessions.Explain(err)
	}
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil || len(files.File) != 1 {
		return fmt.Errorf("%w: the remote %s sent a download that is not an archive with one file", drivers.ErrDeviceLost,
			s.remote.Name)
	}
	from, err := files.File[0].Open()
	if err != nil {
		return err
	}
	defer from.Close()
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(file, io.LimitReader(from, maxSaved+1))
	if err == nil && n > maxSaved {
		err = fmt.Errorf("it has more than %d MB", maxSaved>>20)
	}
	return errors.Join(err, file.Close())
}
