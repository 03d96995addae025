package pack

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/result/markdown"
)

func ffmpeg(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Fatal("ffmpeg is needed for the tests of recordings: ", err)
	}
	return path
}

// finish plays a case with these clips, and returns its result and whether recording.mp4 exists.
func finish(ctx context.Context, t *testing.T, program string, arrange func(p *Pack)) (*event.CaseResult, bool) {
	t.Helper()
	p := newPack(t, newRun(t), "case", PackOptions{FFmpeg: program})
	c := eventtest.Case("case")
	eventtest.Emit(t, p, event.Event{Kind: event.CaseStarted, Case: &c})
	arrange(p)
	eventtest.Emit(t, p, event.Event{Kind: event.CaseEnded, Result: event.Pass})
	res, err := p.Finish(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if sum, _ := checkPack(t, p.Dir()); sum.Recording != res.Recording || sum.Result != event.Pass {
		t.Errorf("the summary says %+v", sum)
	}
	md, err := os.ReadFile(filepath.Join(p.Dir(), event.RunFile))
	if err != nil {
		t.Fatal(err)
	}
	if why := res.Recording.Why; !strings.Contains(string(md), markdown.Text(why, markdown.MaxLong)) {
		t.Errorf("run.md does not say %q:\n%s", why, md)
	}
	info, err := os.Stat(filepath.Join(p.Dir(), event.RecordingFile))
	return res, err == nil && info.Size() > 500
}

func shoot(t *testing.T, p *Pack) {
	t.Helper()
	if err := p.Screenshot(t.Context(), event.Shot{Image: picture(33, 65), Step: 1, Label: "a"}); err != nil {
		t.Fatal(err)
	}
}

func TestRecordingNative(t *testing.T) {
	t.Parallel()
	program := ffmpeg(t)
	res, there := finish(t.Context(), t, program, func(p *Pack) {
		clip := filepath.Join(p.Dir(), event.WorkDir, "clip.webm")
		out, err := exec.CommandContext(t.Context(), program, "-loglevel", "error", "-nostdin", "-f", "lavfi", "-i",
			"testsrc=size=64x64:rate=10",
			"-t", "1", "-c:v", "libvpx", clip).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		p.AddClip(clip, eventtest.Epoch)
		shoot(t, p)
	})
	if !there || res.Recording != (event.Recording{Kind: event.NativeRecording}) {
		t.Errorf("%v, %+v", there, res.Recording)
	}
}

func TestRecordingSlideShow(t *testing.T) {
	t.Parallel()
	for want, arrange := range map[string]func(p *Pack){
		"the device made no recording": func(*Pack) {},
		"the phone cannot film":        func(p *Pack) { p.NoRecording("the phone cannot film") },
		"join recording: part 1: it contains no video": func(p *Pack) {
			clip := filepath.Join(p.Dir(), event.WorkDir, "clip.mp4")
			if err := os.WriteFile(clip, []byte("cut off"), 0o644); err != nil {
				t.Error(err)
			}
			p.AddClip(clip, eventtest.Epoch)
		},
	} {
		res, there := finish(t.Context(), t, ffmpeg(t), func(p *Pack) { arrange(p); shoot(t, p) })
		if !there || res.Recording.Kind != event.SlideShow || !strings.HasPrefix(res.Recording.Why, want) {
			t.Errorf("%s: %v, %+v", want, there, res.Recording)
		}
	}
}

func TestRecordingNone(t *testing.T) {
	t.Parallel()
	res, there := finish(t.Context(), t, ffmpeg(t), func(*Pack) {})
	if there || res.Recording.Kind != event.NoRecording || !strings.Contains(res.Recording.Why, "no screenshots") {
		t.Errorf("%v, %+v", there, res.Recording)
	}
	res, there = finish(t.Context(), t, "", func(p *Pack) { shoot(t, p) })
	if there || res.Recording.Kind != event.NoRecording || !strings.Contains(res.Recording.Why, "not installed") {
		t.Errorf("%v, %+v", there, res.Recording)
	}
	p := newPack(t, newRun(t), "case", PackOptions{FFmpeg: ffmpeg(t), NoVideo: true})
	p.NoRecording("switched off")
	shoot(t, p)
	if res, err := p.Finish(t.Context()); err != nil ||
		res.Recording != (event.Recording{Kind: event.NoRecording, Why: "switched off"}) {
		t.Errorf("%v, %+v", err, res.Recording)
	}
}

// TestRecordingsOfSeveralDevices: each device has its own recording or the reason why it has none, also when it
// reported nothing.
func TestRecordingsOfSeveralDevices(t *testing.T) {
	t.Parallel()
	p := newPack(t, newRun(t), "case", PackOptions{NoVideo: true})
	c := eventtest.Case("case")
	c.Devices = []event.CaseDevice{{Name: "alice", Platform: "android"}, {Name: "bob", Platform: "web"},
		{Name: "carol", Platform: "android"}}
	eventtest.Emit(t, p, event.Event{Kind: event.CaseStarted, Case: &c})
	p.NoRecording("switched off")
	p.NoRecordingOf("bob", "it was lost")
	eventtest.Emit(t, p, event.Event{Kind: event.CaseEnded, Result: event.Pass})
	res, err := p.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	none := func(why string) event.Recording { return event.Recording{Kind: event.NoRecording, Why: why} }
	want := map[string]event.Recording{"bob": none("it was lost"), "carol": none("the device made no recording")}
	if res.Recording != none("switched off") || !maps.Equal(res.Recordings, want) {
		t.Errorf("%+v, %+v", res.Recording, res.Recordings)
	}
	md, err := os.ReadFile(filepath.Join(p.Dir(), event.RunFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"- no recording of alice (switched off)\n", "- no recording of bob (it was lost)\n",
		"- no recording of carol (the device made no recording)\n"} {
		if !strings.Contains(string(md), line) {
			t.Errorf("run.md does not say %q:\n%s", line, md)
		}
	}
}

// TestRecordingAfterAnInterrupt: an interrupted run has its recordings, which may take some time and not forever.
func TestRecordingAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	res, there := finish(ctx, t, ffmpeg(t), func(p *Pack) { shoot(t, p) })
	if !there || res.Recording.Kind != event.SlideShow {
		t.Errorf("%v, %+v", there, res.Recording)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		longer, done := outlast(ctx, interruptLimit)
		defer done()
		time.Sleep(time.Hour)
		if longer.Err() != nil {
			t.Errorf("before the interrupt: %v", longer.Err())
		}
		cancel()
		at := time.Now()
		<-longer.Done()
		if took := time.Since(at); took != interruptLimit {
			t.Errorf("it ended %s after the interrupt", took)
		}
	})
}
