package adb

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
)

// The packets of adb's shell v2 protocol.
const (
	packetStdin      = 0
	PacketStdout     = 1
	packetStderr     = 2
	PacketExit       = 3
	packetCloseStdin = 4
	packetWindowSize = 5
)

// packetBuffer is how much of a packet is held at most; most have this size or less.
const packetBuffer = 32 << 10

// Process is a command that runs on the device.
type Process struct {
	c   *Conn
	v2  bool
	End context.CancelFunc // of the context that the connection is tied to, if it has one of its own
}

// Close ends the process, if it has not ended by itself.
func (p *Process) Close() {
	p.c.Close()
	if p.End != nil {
		p.End()
	}
}

// Wait copies what the command says until it ends, and closes the connection. Without shell v2 everything goes to out,
// and the code is always zero.
func (p *Process) Wait(out, errs io.Writer) (code int, err error) {
	defer p.Close()
	if !p.v2 {
		_, err := io.Copy(out, p.c.r)
		return 0, err
	}
	var buf []byte // one for all packets: a screenshot comes in hundreds
	for {
		var head [5]byte
		if _, err := io.ReadFull(p.c.r, head[:]); err != nil {
			return 0, NoEOF(err) // a command that ended has sent its code before
		}
		size := int64(binary.LittleEndian.Uint32(head[1:]))
		to := io.Discard
		switch head[0] {
		case PacketStdout:
			to = out
		case packetStderr:
			to = errs
		case PacketExit:
			return p.exit(size)
		case packetStdin, packetCloseStdin, packetWindowSize:
		default:
			return 0, fmt.Errorf("the device sent a packet of kind %d, which is not adb's protocol", head[0])
		}
		if int64(len(buf)) < min(size, packetBuffer) {
			buf = make([]byte, min(size, packetBuffer))
		}
		if n, err := io.CopyBuffer(to, io.LimitReader(p.c.r, size), buf); err != nil || n < size {
			return 0, NoEOF(cmp.Or(err, io.EOF))
		}
	}
}

func (p *Process) exit(size int64) (int, error) {
	if size == 0 {
		return 0, nil
	}
	code, err := p.c.r.ReadByte()
	return int(code), NoEOF(err)
}

// Capped keeps at most max bytes. What is beyond them is an error, or is dropped when quiet.
type Capped struct {
	buf   bytes.Buffer
	Max   int
	Quiet bool
}

func (w *Capped) Bytes() []byte { return w.buf.Bytes() }

func (w *Capped) Write(p []byte) (int, error) {
	if room := w.Max - w.buf.Len(); len(p) > room {
		if !w.Quiet {
			return 0, &TooLong{w.Max}
		}
		w.buf.Write(p[:room])
		return len(p), nil
	}
	return w.buf.Write(p)
}

// seenWriter counts how much has come.
type seenWriter struct {
	*Capped
	seen    func(bytes int) error
	stopped error // what seen ended it with
}

func (w *seenWriter) Write(p []byte) (int, error) {
	n, err := w.Capped.Write(p)
	if err == nil && w.seen != nil {
		w.stopped = w.seen(w.buf.Len())
		err = w.stopped
	}
	return n, err
}

// TooLong says that a device sent more than anything it was asked for can be.
type TooLong struct{ max int }

func (e *TooLong) Error() string { return fmt.Sprintf("the device sent more than %d bytes", e.max) }
