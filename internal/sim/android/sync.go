package androidsim

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
)

const (
	maxSyncPath = 1024
	maxSyncData = 64 << 10
)

// syncService handles the file requests of push, pull and ls.
func (p *daemon) syncService(_ context.Context, s session) {
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
		if err := p.syncRequest(s, id, string(name)); err != nil {
			return
		}
	}
}

func (p *daemon) syncRequest(s session, id, name string) error {
	switch id {
	case "STAT":
		return p.syncStat(s, name)
	case "STA2", "LST2":
		return p.syncStat2(s, id, name)
	case "LIST", "LIS2":
		return p.syncList(s, id, name)
	case "SEND":
		return p.syncSend(s, name)
	case "RECV":
		return p.syncRecv(s, name)
	default:
		_ = syncFail(s, "unknown command "+strconv.Quote(id))
		return errors.New("unknown sync command")
	}
}

func syncFail(s session, text string) error {
	_, err := s.Write(append(binary.LittleEndian.AppendUint32([]byte("FAIL"), uint32(len(text))), text...))
	return err
}

func (p *daemon) syncStat(s session, name string) error {
	out := []byte("STAT")
	le := binary.LittleEndian
	if info, err := p.sys.files.stat(resolve("/", name)); err == nil {
		out = le.AppendUint32(out, info.unixMode())
		out = le.AppendUint32(out, uint32(info.size))
		out = le.AppendUint32(out, uint32(info.mtime.Unix()))
	} else {
		out = append(out, make([]byte, 12)...)
	}
	_, err := s.Write(out)
	return err
}

// stat2 is the body of STA2, LST2 and an entry of LIS2: error, dev, ino, mode, nlink, uid, gid, size and three times.
func stat2(out []byte, info fileInfo, failure error) []byte {
	le := binary.LittleEndian
	if failure != nil {
		code := uint32(2) // ENOENT
		switch {
		case errors.Is(failure, fs.ErrPermission):
			code = 13
		case errors.Is(failure, errNotDir):
			code = 20
		}
		return append(le.AppendUint32(out, code), make([]byte, 64)...)
	}
	out = le.AppendUint32(out, 0)
	out = le.AppendUint64(out, 0xfd01)
	out = le.AppendUint64(out, info.num)
	out = le.AppendUint32(out, info.unixMode())
	out = le.AppendUint32(out, 1)
	out = le.AppendUint32(out, 2000)
	out = le.AppendUint32(out, 2000)
	out = le.AppendUint64(out, uint64(info.size))
	for range 3 {
		out = le.AppendUint64(out, uint64(info.mtime.Unix()))
	}
	return out
}

func (p *daemon) syncStat2(s session, id, name string) error {
	info, failure := p.sys.files.stat(resolve("/", name))
	_, err := s.Write(stat2([]byte(id), info, failure))
	return err
}

func (p *daemon) syncList(s session, id, dir string) error {
	le := binary.LittleEndian
	infos, _ := p.sys.files.list(resolve("/", dir)) // a directory that cannot be read is an empty one
	var out []byte
	for _, info := range infos {
		if id == "LIS2" {
			out = stat2(append(out, "DNT2"...), info, nil)
		} else {
			out = append(out, "DENT"...)
			out = le.AppendUint32(out, info.unixMode())
			out = le.AppendUint32(out, uint32(info.size))
			out = le.AppendUint32(out, uint32(info.mtime.Unix()))
		}
		out = le.AppendUint32(out, uint32(len(info.name)))
		out = append(out, info.name...)
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
func (p *daemon) syncSend(s session, spec string) error {
	name, mode := spec, 0o644
	if i := strings.LastIndexByte(spec, ','); i >= 0 {
		if m, err := strconv.Atoi(spec[i+1:]); err == nil {
			name, mode = spec[:i], m
		}
	}
	at := resolve("/", name)
	if dir := path.Dir(at); writable(at) {
		if _, err := p.sys.files.stat(dir); err != nil {
			_ = p.sys.files.mkdir(dir, true) // adbd makes the directories of what is pushed
		}
	}
	failure := p.sys.files.write(at, nil, fs.FileMode(mode).Perm())
	for {
		var head [8]byte
		if _, err := io.ReadFull(s, head[:]); err != nil {
			return err
		}
		n := binary.LittleEndian.Uint32(head[4:])
		switch string(head[:4]) {
		case "DONE":
			if failure != nil {
				return syncFail(s, "couldn't create file: "+reason(failure))
			}
			p.sys.files.setTime(at, time.Unix(int64(n), 0))
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
				failure = p.appendFile(at, chunk)
			}
		default:
			_ = syncFail(s, "invalid data message")
			return errors.New("invalid sync message")
		}
	}
}

func (p *daemon) appendFile(name string, chunk []byte) error {
	f, err := p.sys.files.open(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(chunk)
	return err
}

func (p *daemon) syncRecv(s session, name string) error {
	data, err := p.sys.files.read(resolve("/", name))
	if err != nil {
		return syncFail(s, "open failed: "+reason(err))
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
