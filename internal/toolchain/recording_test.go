package toolchain

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// recordingTest makes a recording of three images, of which the second is in the time slot of another one, in a
// Playwright with the structure of the real one.
const recordingTest = `
const events = new (require('events'))(), dir = process.argv[1];
const {Recording, install} = require(dir + '/recording.js');
require('fs').mkdirSync(dir + '/lib/server/chromium', {recursive: true});
require('fs').writeFileSync(dir + '/lib/server/page.js', 'exports.Page = {Events: {ScreencastFrame: "frame"}}');
require('fs').writeFileSync(dir + '/lib/server/chromium/videoRecorder.js', 'exports.VideoRecorder = class { static ` +
	`async launch() { throw Error("ffmpeg"); } }');
install(dir);
(async () => {
  const {VideoRecorder} = require(dir + '/lib/server/chromium/videoRecorder.js');
  const recording = await VideoRecorder.launch(events, '', {width: 320, height: 180, outputFile: dir + ` +
	`'/recording.webm'});
  const none = await VideoRecorder.launch(new (require('events'))(), '', {width: 320, height: 180, outputFile: dir + ` +
	`'/none.webm'});
  const image = n => require('fs').readFileSync(dir + '/' + n + '.jpg');
  for (const [n, at] of [[0, 100], [1, 102], [2, 102.01], [1, 101.99], [2, 104]])
    events.emit('frame', {buffer: image(n), frameSwapWallTime: at * 1000});
  await recording.stop();
  await recording.stop();
  await none.stop();
  events.emit('frame', {buffer: image(0), frameSwapWallTime: 105000});
})();
`

// TestRecording checks that a recording has each image once, for as long as it was visible, and that one without images
// is empty.
func TestRecording(t *testing.T) {
	for _, name := range []string{"node", "ffmpeg"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "recording.js"), []byte(recordingScript), 0o644); err != nil {
		t.Fatal(err)
	}
	for i, colour := range []string{"red", "green", "blue"} {
		name := filepath.Join(dir, string(rune('0'+i))+".jpg")
		if out, err := exec.Command("ffmpeg", "-f", "lavfi", "-i", "color="+colour+":s=320x180", "-frames:v", "1",
			name).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if out, err := exec.Command("node", "-e", recordingTest, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if info, err := os.Stat(filepath.Join(dir, "none.webm")); err != nil || info.Size() != 0 {
		t.Errorf("the recording without images: %v, %v", info, err)
	}
	out, err := exec.Command("ffmpeg", "-i", filepath.Join(dir, "recording.webm"), "-vf", "showinfo", "-vsync",
		"passthrough",
		"-f", "null", "-").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := string(out)
	for _, want := range []string{"Duration: 00:00:05.00", "Video: mjpeg", "320x180", "pts_time:0 ", "pts_time:2 ",
		"pts_time:4 ", "pts_time:4.96 "} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "pts_time:"); n != 4 {
		t.Errorf("%d pictures", n)
	}
}
