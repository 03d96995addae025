package wire

import (
	"encoding/binary"
	"errors"
)

// kind is the type of a frame. A frame is one NATS message of a connection: its kind, its number, and the payload.
type kind byte

const (
	data   kind = iota + 1 // bytes of the stream, at least one
	credit                 // the reader has space for so many more bytes (uint32)
	finish                 // no more bytes come (half-close)
	ended                  // this end is closed: it neither writes nor reads
	failed                 // this end has failed; the payload is the reason
	beat                   // this end is alive
)

const (
	header   = 1 + 4
	maxChunk = 64 << 10
	// what a frame costs of the window in addition to its bytes, or many small ones would take more memory than the window
	overhead  = 32
	window    = 1 << 20
	maxWindow = 16 << 20
)

var (
	errFrame = errors.New("wire: the other end sent an invalid frame")
	errGap   = errors.New("wire: NATS lost a frame of the connection")
)

func frame(k kind, number uint32, payload []byte) []byte {
	out := make([]byte, header, header+len(payload))
	out[0] = byte(k)
	binary.BigEndian.PutUint32(out[1:], number)
	return append(out, payload...)
}

// parse splits a frame into its parts and validates it.
func parse(message []byte) (k kind, number uint32, payload []byte, err error) {
	if len(message) < header {
		return 0, 0, nil, errFrame
	}
	k, number, payload = kind(message[0]), binary.BigEndian.Uint32(message[1:]), message[header:]
	ok := false
	switch k {
	case data:
		ok = len(payload) > 0 && len(payload) <= maxChunk
	case credit:
		ok = len(payload) == 4
	case finish, ended, beat:
		ok = len(payload) == 0
	case failed:
		ok = len(payload) <= 1024
	}
	if !ok {
		return 0, 0, nil, errFrame
	}
	return k, number, payload, nil
}

// cost returns how much of the window a frame with n bytes takes.
func cost(n int) int { return n + overhead }
