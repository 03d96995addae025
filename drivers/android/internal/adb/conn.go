package adb

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
)

// Conn is one connection to the adb server. It serves one request, because a service of a device takes the whole of it.
type Conn struct {
	net.Conn
	r     *bufio.Reader
	untie func() bool
}

// newConn ties a connection to ctx: closing it is the only way to stop what it does, on this side and on the device.
func newConn(ctx context.Context, nc net.Conn) *Conn {
	return &Conn{
		Conn:  nc,
		r:     bufio.NewReaderSize(nc, 64<<10),
		untie: context.AfterFunc(ctx, func() { nc.Close() }),
	}
}

// Read reads behind what has been read of the answer.
func (c *Conn) Read(p []byte) (int, error) { return c.r.Read(p) }

// Close ends the connection.
func (c *Conn) Close() error {
	c.untie()
	return c.Conn.Close()
}

// refusal is the server's FAIL, in its own words.
type refusal struct{ request, message string }

func (e *refusal) Error() string { return fmt.Sprintf("adb refused %s: %s", e.request, e.message) }

// request sends one service name and reads whether it was accepted.
func (c *Conn) request(name string) error {
	if len(name) > 0xffff {
		return fmt.Errorf("request of %d bytes is too long for adb", len(name))
	}
	if _, err := fmt.Fprintf(c.Conn, "%04x%s", len(name), name); err != nil {
		return err
	}
	return c.status(Label(name))
}

// status reads OKAY, or FAIL with its reason.
func (c *Conn) status(request string) error {
	var word [4]byte
	if _, err := io.ReadFull(c.r, word[:]); err != nil {
		return NoEOF(err)
	}
	switch string(word[:]) {
	case "OKAY":
		return nil
	case "FAIL":
		message, err := c.Counted()
		if err != nil {
			return err
		}
		return &refusal{request, message}
	default:
		return fmt.Errorf("adb answered %s with %q, which is not its protocol", request, word[:])
	}
}

// Counted reads a string behind its length in four hexadecimal digits.
func (c *Conn) Counted() (string, error) {
	var digits [4]byte
	if _, err := io.ReadFull(c.r, digits[:]); err != nil {
		return "", NoEOF(err)
	}
	n, err := strconv.ParseUint(string(digits[:]), 16, 16)
	if err != nil {
		return "", fmt.Errorf("adb sent the length %q, which is not its protocol", digits[:])
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(c.r, text); err != nil {
		return "", NoEOF(err)
	}
	return string(text), nil
}

// NoEOF makes an end that comes too early an error that cannot be taken for a proper end.
func NoEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Label shortens a service name for messages, and leaves out a shell command's arguments: they may hold what a user
// types.
func Label(service string) string {
	for i, r := range service {
		if r == ' ' || i > 60 {
			return service[:i] + "…"
		}
	}
	return service
}
