package toolchain

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// filmed makes a recording of three images, of which the second is in the time slot of another one, in a Playwright
// with the structure of the real one.
const filmed = `
const events = new (require('events'))(), dir = process.argv[1];
const {Film, install} = require(dir + '/film.js');
require('fs').mkdirSync(dir + '/lib/server/chromium', {recursive: true});
require('fs').writeFileSync(dir + '/lib/server/page.js', 'exports.Page = {Events: {ScreencastFrame: "frame"}}');
require('fs').writeFileSync(dir + '/lib/server/chromium/videoRecorder.js', 'exports.VideoRecorder = class { static ` +
	`async launch() { throw Error("ffmpeg"); } }');
install(dir);
(async () => {
  const {VideoRecorder} = require(dir + '/lib/server/chromium/videoRecorder.js');
  const film = await VideoRecorder.launch(events, '', {width: 320, height: 180, outputFile: dir + '/film.webm'});
  const none = await VideoRecorder.launch(new (require('events'))(), '', {width: 320, height: 180, outputFile: dir + ` +
	`'/none.webm'});
  const picture = n => require('fs').readFileSync(dir + '/' + n + '.jpg');
  for (const [n, at] of [[0, 100], [1, 102], [2, 102.01], [1, 101.99], [2, 104]])
    events.emit('frame', {buffer: picture(n), frameSwapWallTime: at * 1000});
  await film.stop();
  await film.stop();
  await none.stop();
  events.emit('frame', {buffer: picture(0), frameSwapWallTime: 105000});
})();
`

// TestFilm checks that a recording has each image once, for as long as it was visible, and that one without images is
// empty.
func TestFilm(t *testing.T) {
	for _, name := range []string{"node", "ffmpeg"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "film.js"), []byte(filmScript), 0o644); err != nil {
		t.Fatal(err)
	}
	for i, colour := range []string{"red", "green", "blue"} {
		name := filepath.Join(dir, string(rune('0'+i))+".jpg")
		if out, err := exec.Command("ffmpeg", "-f", "lavfi", "-i", "color="+colour+":s=320x180", "-frames:v", "1",
			name).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if out, err := exec.Command("node", "-e", filmed, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if info, err := os.Stat(filepath.Join(dir, "none.webm")); err != nil || info.Size() != 0 {
		t.Errorf("the recording without images: %v, %v", info, err)
	}
	said, err := exec.Command("ffmpeg", "-i", filepath.Join(dir, "film.webm"), "-vf", "showinfo", "-vsync", "passthrough",
		"-f", "null", "-").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	text := string(said)
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
