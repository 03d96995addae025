package screenimage_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/screenimage"
)

func part(boundary, image string) string {
	return fmt.Sprintf("%s\r\nContent-type: image/jpg\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", boundary, len(image),
		image)
}

func TestNext(t *testing.T) {
	const header = "HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=--BoundaryString\r\n\r\n"
	one, two := part("--BoundaryString", "one\n--BoundaryString\n"), part("--BoundaryString", "two")
	for name, c := range map[string]struct {
		sent, want string
		cut        bool
	}{
		"after the header":      {header + one + two, "one\n--BoundaryString\n,two", false},
		"before the header":     {one + header + two, "one\n--BoundaryString\n,two", false},
		"without a header":      {one + two, "one\n--BoundaryString\n,two", false},
		"hyphens doubled":       {part("----BoundaryString", "one"), "one", false},
		"another boundary":      {part("--Else", "one"), "", false},
		"half a picture":        {header + one[:len(one)-10], "", true},
		"no length":             {header + "--BoundaryString\r\nA: b\r\n\r\none", "", true},
		"a length below 0":      {header + "--BoundaryString\r\nContent-Length: -1\r\n\r\none", "", true},
		"too long":              {header + "--BoundaryString\r\nContent-Length: 99999999999\r\n\r\none", "", true},
		"a line without an end": {strings.Repeat("x", 1<<20), "", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := screenimage.NewMJPEG(strings.NewReader(c.sent), "--BoundaryString")
			var got []string
			for {
				image, err := r.Next()
				if err != nil {
					if c.cut == errors.Is(err, io.EOF) {
						t.Errorf("ends with %v", err)
					}
					break
				}
				got = append(got, string(image))
			}
			if strings.Join(got, ",") != c.want {
				t.Errorf("%q", got)
			}
		})
	}
}
