package pack

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"path"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/screenimage"
)

// Screenshot takes the screenshot and writes it while the next step runs. A pack writes one screenshot at a time: a
// second call waits for the first.
func (p *Pack) Screenshot(ctx context.Context, shot event.Shot) error {
	at := p.o.Clock()
	if shot.Image == nil || shot.Image.Bounds().Empty() {
		return errors.New("keep screenshot: the image is empty")
	}
	if err := p.awaitSlot(ctx); err != nil {
		return fmt.Errorf("keep screenshot: %w", err)
	}
	shot.Label = p.mask.Text(shot.Label)
	p.mu.Lock()
	name, err := p.free(path.Join(event.ScreenshotsDir, shotName(shot))), p.broken
	if p.closed {
		err = fmt.Errorf("keep screenshot: %w", errFinished)
	}
	p.mu.Unlock()
	if err != nil {
		<-p.slot
		return err
	}
	go func() {
		defer func() { <-p.slot }()
		p.writeShot(name, shot, at)
	}()
	return nil
}

// awaitSlot waits for the right to write a screenshot.
func (p *Pack) awaitSlot(ctx context.Context) error {
	select {
	case p.slot <- struct{}{}: // free: take it even if ctx has ended
		return nil
	default:
	}
	select {
	case p.slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// awaitScreenshot waits until the screenshot that is being written, if any, is on the disk.
func (p *Pack) awaitScreenshot() {
	p.slot <- struct{}{}
	<-p.slot
}

func (p *Pack) writeShot(name string, shot event.Shot, at time.Time) {
	err := writeAside(p.root, name, func(w io.Writer) error { return encodePNG(w, shot.Image) })
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.breaks(err)
		return
	}
	kind := event.KindScreenshot
	switch {
	case shot.Device != "":
		kind = event.KindMoment
	case shot.Failure:
		kind = event.KindFailure
	}
	// An error of keep is stored in p.broken; the next call returns it.
	_ = p.keep(event.Event{Time: at, Kind: event.Attached, Step: shot.Step,
		Attachment: &event.Attachment{Path: name, Type: "image/png", Kind: kind, Device: shot.Device}})
}

func encodePNG(w io.Writer, img image.Image) (err error) {
	defer func() { // a foreign image type may panic in this goroutine, which must not end the run
		if r := recover(); r != nil {
			err = fmt.Errorf("encode screenshot: %v", r)
		}
	}()
	if file, ok := img.(interface{ PNG() []byte }); ok { // keep the device's own PNG file
		_, err = w.Write(file.PNG())
		return err
	}
	return screenimage.EncodePNG(w, img)
}

// failedShot ends the name of the screenshot of a failure.
const failedShot = "-failed"

// shotName is NN-label.png, NN-label-failed.png for the screenshot of a failure.
func shotName(shot event.Shot) string {
	suffix := ""
	if shot.Failure {
		suffix = failedShot
	}
	return fmt.Sprintf("%02d-%s%s.png", max(0, shot.Step), slug(shot.Label), suffix)
}
