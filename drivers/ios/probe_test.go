package ios

import (
	"encoding/json"
	"os/exec"
	"strconv"
	"testing"
)

// probe counts the frames of a video and returns its length, with ffprobe, which make setup installs.
func probe(t *testing.T, file string) (frames int, seconds float64) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-count_packets", "-select_streams", "v:0",
		"-show_entries", "stream=nb_read_packets:packet=pts_time",
		"-of", "json", file).CombinedOutput()
	if err != nil {
		t.Fatalf("ffprobe: %v: %s", err, out)
	}
	var found struct {
		Packets []struct {
			Time string `json:"pts_time"`
		}
	}
	if err := json.Unmarshal(out, &found); err != nil || len(found.Packets) == 0 {
		t.Fatalf("ffprobe says %s, %v", out, err)
	}
	last, err := strconv.ParseFloat(found.Packets[len(found.Packets)-1].Time, 64)
	must(t, err)
	return len(found.Packets), last
}
