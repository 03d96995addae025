package html

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/internal/result/event"
)

func mp4Box(name string, body ...byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	return append(append(out, name...), body...)
}

// mp4 is the part of a recording that holds its chapters.
func mp4(list ...mark) []byte {
	body := []byte{1, 0, 0, 0, 0, 0, 0, 0, byte(len(list))}
	for _, m := range list {
		body = binary.BigEndian.AppendUint64(body, uint64(m.At/100))
		body = append(append(body, byte(len(m.Title))), m.Title...)
	}
	moov := append(mp4Box("mvhd", make([]byte, 100)...), mp4Box("udta", mp4Box("chpl", body...)...)...)
	large := binary.BigEndian.AppendUint64(append([]byte{0, 0, 0, 1}, "free"...), 24)
	return bytes.Join([][]byte{mp4Box("ftyp", []byte("isom")...), append(large, make([]byte, 8)...),
		mp4Box("moov", moov...), mp4Box("mdat", 1, 2, 3)}, nil)
}

func TestChaptersOfARecording(t *testing.T) {
	t.Parallel()
	want := []mark{{0, "1 launch x"}, {1500 * time.Millisecond, "2 tap y"}, {4 * time.Second, "not a step"}}
	film := mp4(want...)
	got, err := marks(bytes.NewReader(film), int64(len(film)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, other := range [][]byte{nil, mp4Box("ftyp"), mp4Box("moov", mp4Box("mvhd")...)} {
		if got, err := marks(bytes.NewReader(other), int64(len(other))); err != nil || got != nil {
			t.Errorf("%q: %v, %v", other, got, err)
		}
	}
}

func TestCues(t *testing.T) {
	t.Parallel()
	at := func(s int) time.Time { return began.Add(time.Duration(s) * time.Second) }
	res := &event.CaseResult{Started: at(0), Steps: []event.StepResult{
		{Step: event.Step{N: 1}, Started: at(1)}, {Step: event.Step{N: 2}, Started: at(4)}, {Step: event.Step{N: 3}}}}
	got, exact := cues(res, []mark{{2500 * time.Millisecond, "1 tap"}, {time.Second, "9 other"}})
	if diff := cmp.Diff(map[int]time.Duration{1: 2500 * time.Millisecond, 2: 5500 * time.Millisecond}, got); diff != "" ||
		exact {
		t.Error(diff, exact)
	}
	if got, exact = cues(res, []mark{{0, "1 tap"}, {time.Second, "2 tap"}}); !exact || len(got) != 2 {
		t.Error(got, exact)
	}
}

func FuzzChapters(f *testing.F) {
	f.Add(mp4(mark{0, "1 launch x"}, mark{time.Second, "2 tap"}))
	f.Add([]byte{0, 0, 0, 0, 'm', 'o', 'o', 'v'})
	f.Fuzz(func(t *testing.T, film []byte) {
		list, _ := marks(bytes.NewReader(film), int64(len(film)))
		for _, m := range list {
			if m.At < 0 || m.At > 1000*time.Hour {
				t.Error(m.At)
			}
		}
	})
}
