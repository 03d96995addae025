package adbd

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// maxRequest limits a request of a client, in bytes: a command for the shell is one.
const maxRequest = 64 << 10

// ServeClient serves one connection of adb's protocol between client and server, as a server does that has this device
// alone, whatever the client calls it. So a client on another machine can use this device, and nothing else of this
// machine. It ends when one end of the connection closes.
func ServeClient(conn io.ReadWriteCloser, d Device) error {
	defer conn.Close()
	in := bufio.NewReader(conn)
	request, err := readRequest(in)
	if err != nil {
		return err
	}
	if about, ok := strings.CutPrefix(request, "host-serial:"); ok {
		switch about[strings.LastIndex(about, ":")+1:] {
		case "features":
			return reply(conn, strings.Join(d.Features, ","))
		case "get-state":
			return reply(conn, "device")
		}
	}
	if !strings.HasPrefix(request, "host:transport:") {
		return fail(conn, fmt.Errorf("%.100q is not for a device of another machine", request))
	}
	if _, err := io.WriteString(conn, "OKAY"); err != nil {
		return err
	}
	service, err := readRequest(in)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(refused, func(begin string) bool { return strings.HasPrefix(service, begin) }) {
		return fail(conn, fmt.Errorf("%.100q is not for a device of another machine", service))
	}
	far, err := d.Open(service)
	if err != nil {
		return fail(conn, err)
	}
	defer far.Close()
	if _, err := io.WriteString(conn, "OKAY"); err != nil {
		return err
	}
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(conn, far)
		_ = conn.Close()
	})
	_, _ = io.Copy(far, in)
	_ = far.Close()
	back.Wait()
	return nil
}

// readRequest reads a text after its length in four hexadecimal digits.
func readRequest(r io.Reader) (string, error) {
	var digits [4]byte
	if _, err := io.ReadFull(r, digits[:]); err != nil {
		return "", err
	}
	n, err := strconv.ParseUint(string(digits[:]), 16, 16)
	if err != nil || n > maxRequest {
		return "", errProtocol
	}
	text := make([]byte, n)
	_, err = io.ReadFull(r, text)
	return string(text), err
}

func reply(w io.Writer, text string) error {
	_, err := fmt.Fprintf(w, "OKAY%04x%s", len(text), text)
	return err
}

// fail sends the reason of a failure, and returns it.
func fail(w io.Writer, why error) error {
	text := why.Error()
	text = text[:min(len(text), 0xffff)]
	_, _ = fmt.Fprintf(w, "FAIL%04x%s", len(text), text)
	return why
}
