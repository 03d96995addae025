package html

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// deviceData is one of several devices of the test: a lane of the page.
type deviceData struct {
	Name        string         `json:"name"`
	Platform    string         `json:"platform"`
	ID          string         `json:"id,omitempty"`
	Model       string         `json:"model,omitempty"`
	Recording   *recordingData `json:"recording,omitempty"` // of the first device: that of the page
	NoRecording string         `json:"noRecording,omitempty"`
	// seconds into the recording at which each step starts, by its number
	Cues map[int]float64 `json:"cues,omitempty"`
	Log  *logData        `json:"log,omitempty"`
}

// devices makes the lanes of a test with several devices.
func (b *builder) devices() {
	for i, d := range b.res.Case.Devices {
		lane := deviceData{Name: shown(d.Name, maxLabel), Platform: shown(string(d.Platform), maxLabel),
			ID: shown(d.ID, maxLabel), Model: shown(d.Model, maxLabel)}
		if i > 0 {
			recordingOf(b, &lane, d.Name)
			lane.Log = b.logOf(d.Name, d.Name)
		} else {
			lane.Recording, lane.NoRecording, lane.Log = b.out.Recording, b.out.NoRecording, b.out.Log
		}
		b.out.Devices = append(b.out.Devices, lane)
	}
}

// recordingOf finds the recording of a device that is not the first one.
func recordingOf(b *builder, lane *deviceData, name string) {
	rec := b.res.Recordings[name]
	i := slices.IndexFunc(b.res.Attachments, func(a event.Attachment) bool {
		return a.Kind == event.KindRecording && a.Device == name
	})
	if i < 0 || rec.Kind == event.NoRecording || rec.Kind == "" {
		lane.NoRecording = shown(cmp.Or(rec.Why, "none was made"), maxLabel)
		return
	}
	path := b.res.Attachments[i].Path
	list, err := recordingMarks(b.root, path)
	if _, gone := openFile(b.root, path); err != nil && len(list) == 0 && gone != nil {
		lane.NoRecording = shown(path+" cannot be read: "+gone.Error(), maxLabel)
		return
	}
	at, exact := cues(b.res, list)
	lane.Cues = map[int]float64{}
	for n, t := range at {
		lane.Cues[n] = t.Seconds()
	}
	lane.Recording = &recordingData{Src: b.link(path), Kind: shown(rec.Kind, maxLabel), Why: shown(rec.Why, maxLabel),
		Exact: exact}
}

// logOf reads the log of a device, and adds to each of its steps the lines of it; owner is "" for the first device, and
// name is "" for a test with one.
func (b *builder) logOf(owner, name string) *logData {
	i := slices.IndexFunc(b.res.Attachments, func(a event.Attachment) bool {
		return a.Kind == event.KindLog && a.Device == owner
	})
	if i < 0 {
		return nil
	}
	path := b.res.Attachments[i].Path
	data := &logData{Name: shown(path, maxLabel), Src: b.link(path)}
	f, err := openFile(b.root, path)
	if err != nil {
		data.Why = shown("it cannot be read: "+err.Error(), maxLabel)
		return data
	}
	defer f.Close() // nothing was written
	c := logCutter{start: b.res.Started, end: b.res.Ended, spans: spans(b.res, name), important: b.res.ProblemStep}
	cut, err := c.cut(f)
	if err != nil {
		data.Why = shown("it cannot be read: "+err.Error(), maxLabel)
		return data
	}
	data.How, data.Why, data.Lines, data.Before = cut.How, cut.Why, cut.Lines, cut.Before
	for _, s := range b.out.Steps {
		if l := cut.Steps[s.N]; l != nil {
			s.Log = l
		}
	}
	return data
}

// firstDevice is the name of the first of several devices; "" for a test with one.
func firstDevice(res *event.CaseResult) string {
	if len(res.Case.Devices) == 0 {
		return ""
	}
	return res.Case.Devices[0].Name
}

// allShots are the screenshots of a step, and those of other devices at that moment.
func (s *stepData) allShots() []*shotData { return slices.Concat(s.Shots, s.Moments) }

// fileOf is the path of a file that each device of a test can have: that of the first device which has it.
func fileOf(res *event.CaseResult, name string) string {
	for _, d := range res.Case.Devices {
		path := res.Case.DeviceFile(name, d.Name)
		if slices.ContainsFunc(res.Attachments, func(a event.Attachment) bool { return a.Path == path }) {
			return path
		}
	}
	return name
}

// deviceWords names the devices of a test in the head of its page.
func deviceWords(d *packData) []string {
	var list []string
	for _, one := range d.Devices {
		list = append(list, fmt.Sprintf("%s: %s", one.Name, cmp.Or(one.Model, one.ID, one.Platform)))
	}
	return list
}
