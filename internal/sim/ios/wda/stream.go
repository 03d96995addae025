package wda

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/jpeg"
	"net"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/internal/screenimage"
)

// shot is a screenshot and the response that holds it: the next screenshot is mostly the same.
type shot struct {
	img    *image.RGBA
	answer string
}

func (s shot) shows(img *image.RGBA) bool {
	return s.img != nil && s.img.Rect == img.Rect && bytes.Equal(s.img.Pix, img.Pix)
}

// screenshot draws everything; the lock is held.
func (d *performer) screenshot(request) (any, error) {
	img, err := d.Render()
	if err != nil {
		return nil, &wdError{"unable to capture screen", err.Error()}
	}
	if d.shot.shows(img) {
		return d.shot.answer, nil
	}
	var b bytes.Buffer
	if err := screenimage.EncodePNG(&b, img); err != nil {
		return nil, &wdError{"unable to capture screen", err.Error()}
	}
	d.shot = shot{img, base64.StdEncoding.EncodeToString(b.Bytes())}
	return d.shot.answer, nil
}

// project sends images as WebDriverAgentLib/Utilities/FBMjpegServer.m does: to each client that sent something.
func (d *Agent) project(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		d.Host.Work.Go(func() {
			defer conn.Close()
			if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
				return
			}
			fmt.Fprint(conn,
				"HTTP/1.0 200 OK\r\nServer: WDA MJPEG Server\r\nConnection: close\r\nMax-Age: 0\r\nExpires: 0\r\nCache-Control: "+
					"no-cache, "+
					"private\r\n"+
					"Pragma: no-cache\r\nContent-Type: multipart/x-mixed-replace; boundary=--BoundaryString\r\n\r\n")
			for d.Host.Rest(d.Host.Ctx, 80*time.Millisecond) && d.sendFrame(conn) {
			}
		})
	}
}

func (d *Agent) sendFrame(conn net.Conn) bool {
	d.Mu.Lock()
	runs, wide := d.server != nil, d.Wide
	img, err := d.BuiltIn()
	d.Mu.Unlock()
	var b bytes.Buffer
	if err != nil || !runs || jpeg.Encode(&b, img, &jpeg.Options{Quality: 40}) != nil {
		return false
	}
	data := b.Bytes()
	if wide {
		data = slices.Insert(data, 2, exifLeft()...)
	}
	_, err = fmt.Fprintf(conn, "--BoundaryString\r\nContent-type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		len(data), data)
	return err == nil
}

// exifLeft is the part of a JPEG that says: turn it by a quarter to the left to see it as the app is.
func exifLeft() []byte {
	tiff := "MM\x00*\x00\x00\x00\x08" + "\x00\x01" + "\x01\x12\x00\x03\x00\x00\x00\x01\x00\x08\x00\x00" +
		"\x00\x00\x00\x00"
	body := "Exif\x00\x00" + tiff
	return append([]byte{0xff, 0xe1, 0, byte(len(body) + 2)}, body...)
}
