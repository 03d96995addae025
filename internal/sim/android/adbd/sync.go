package adbd

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
)

const (
	maxSyncPath = 1024
	maxSyncData = 64 << 10
)

// syncService handles the file requests of push, pull and ls.
func (d *Daemon) syncService(_ context.Context, s kernel.Stream) {
	for {
		var head [8]byte
		if _, err := io.ReadFull(s, head[:]); err != nil {
			return
		}
		id, n := string(head[:4]), binary.LittleEndian.Uint32(head[4:])
		if id == "QUIT" {
			return
		}
		if n > maxSyncPath {
			_ = syncFail(s, "path too long")
			return
		}
		name := make([]byte, n)
		if _, err := io.ReadFull(s, name); err != nil {
			return
		}
		if err := d.syncRequest(s, id, string(name)); err != nil {
			return
		}
	}
}

func (d *Daemon) syncRequest(s kernel.Stream, id, name string) error {
	switch id {
	case "STAT":
		return d.syncStat(s, name)
	case "STA2", "LST2":
		return d.syncStat2(s, id, name)
	case "LIST", "LIS2":
		return d.syncList(s, id, name)
	case "SEND":
		return d.syncSend(s, name)
	case "RECV":
		return d.syncRecv(s, name)
	default:
		_ = syncFail(s, "unknown command "+strconv.Quote(id))
		return errors.New("unknown sync command")
	}
}

func syncFail(s kernel.Stream, text string) error {
	_, err := s.Write(append(binary.LittleEndian.AppendUint32([]byte("FAIL"), uint32(len(text))), text...))
	return err
}

func (d *Daemon) syncStat(s kernel.Stream, name string) error {
	out := []byte("STAT")
	le := binary.LittleEndian
	if info, err := d.Sys.Files.Stat(kernel.Resolve("/", name)); err == nil {
		out = le.AppendUint32(out, info.UnixMode())
		out = le.AppendUint32(out, uint32(info.Size()))
		out = le.AppendUint32(out, uint32(info.ModTime().Unix()))
	} else {
		out = append(out, make([]byte, 12)...)
	}
	_, err := s.Write(out)
	return err
}

// stat2 is the body of STA2, LST2 and an entry of LIS2: error, dev, ino, mode, nlink, uid, gid, size and three times.
func stat2(out []byte, info kernel.FileInfo, failure error) []byte {
	le := binary.LittleEndian
	if failure != nil {
		code := uint32(2) // ENOENT
		switch {
		case errors.Is(failure, fs.ErrPermission):
			code = 13
		case errors.Is(failure, kernel.ErrNotDir):
			code = 20
		}
		return append(le.AppendUint32(out, code), make([]byte, 64)...)
	}
	out = le.AppendUint32(out, 0)
	out = le.AppendUint64(out, 0xfd01)
	out = le.AppendUint64(out, info.Num)
	out = le.AppendUint32(out, info.UnixMode())
	out = le.AppendUint32(out, 1)
	out = le.AppendUint32(out, 2000)
	out = le.AppendUint32(out, 2000)
	out = le.AppendUint64(out, uint64(info.Size()))
	for range 3 {
		out = le.AppendUint64(out, uint64(info.ModTime().Unix()))
	}
	return out
}

func (d *Daemon) syncStat2(s kernel.Stream, id, name string) error {
	info, failure := d.Sys.Files.Stat(kernel.Resolve("/", name))
	_, err := s.Write(stat2([]byte(id), info, failure))
	return err
}

func (d *Daemon) syncList(s kernel.Stream, id, dir string) error {
	le := binary.LittleEndian
	infos, _ := d.Sys.Files.List(kernel.Resolve("/", dir)) // a directory that cannot be read is an empty one
	var out []byte
	for _, info := range infos {
		if id == "LIS2" {
			out = stat2(append(out, "DNT2"...), info, nil)
		} else {
			out = append(out, "DENT"...)
			out = le.AppendUint32(out, info.UnixMode())
			out = le.AppendUint32(out, uint32(info.Size()))
			out = le.AppendUint32(out, uint32(info.ModTime().Unix()))
		}
		out = le.AppendUint32(out, uint32(len(info.Name())))
		out = append(out, info.Name()...)
	}
	tail := 16
	if id == "LIS2" {
		tail = 72
	}
	out = append(out, "DONE"...)
	out = append(out, make([]byte, tail)...)
	_, err := s.Write(out)
	return err
}

// syncSend stores a file: "path,mode", then DATA packets, then DONE with the time.
func (d *Daemon) syncSend(s kernel.Stream, spec string) error {
	name, mode := spec, 0o644
	if i := strings.LastIndexByte(spec, ','); i >= 0 {
		if m, err := strconv.Atoi(spec[i+1:]); err == nil {
			name, mode = spec[:i], m
		}
	}
	at := kernel.Resolve("/", name)
	if dir := path.Dir(at); kernel.Writable(at) {
		if _, err := d.Sys.Files.Stat(dir); err != nil {
			_ = d.Sys.Files.Mkdir(dir, true) // adbd makes the directories of what is pushed
		}
	}
	failure := d.Sys.Files.Write(at, nil, fs.FileMode(mode).Perm())
	for {
		var head [8]byte
		if _, err := io.ReadFull(s, head[:]); err != nil {
			return err
		}
		n := binary.LittleEndian.Uint32(head[4:])
		switch string(head[:4]) {
		case "DONE":
			if failure != nil {
				return syncFail(s, "couldn't create file: "+kernel.Reason(failure))
			}
			d.Sys.Files.SetTime(at, time.Unix(int64(n), 0))
			_, err := s.Write([]byte("OKAY\x00\x00\x00\x00"))
			return err
		case "DATA":
			if n > maxSyncData {
				return syncFail(s, "oversize data message")
			}
			chunk := make([]byte, n)
			if _, err := io.ReadFull(s, chunk); err != nil {
				return err
			}
			if failure == nil {
				failure = d.appendFile(at, chunk)
			}
		default:
			_ = syncFail(s, "invalid data message")
			return errors.New("invalid sync message")
		}
	}
}

func (d *Daemon) appendFile(name string, chunk []byte) error {
	f, err := d.Sys.Files.Open(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(chunk)
	return err
}

func (d *Daemon) syncRecv(s kernel.Stream, name string) error {
	data, err := d.Sys.Files.Read(kernel.Resolve("/", name))
	if err != nil {
		return syncFail(s, "open failed: "+kernel.Reason(err))
	}
	for len(data) > 0 {
		n := min(len(data), maxSyncData)
		packet := binary.LittleEndian.AppendUint32([]byte("DATA"), uint32(n))
		if _, err := s.Write(append(packet, data[:n]...)); err != nil {
			return err
		}
		data = data[n:]
	}
	_, err = s.Write([]byte("DONE\x00\x00\x00\x00"))
	return err
}
