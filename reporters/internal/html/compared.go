package html

import (
	"fmt"
	"slices"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// comparedData is the evidence of a screenshot that was compared with its baseline: three images, if they were kept.
type comparedData struct {
	Name     string        `json:"name"`
	Said     string        `json:"said"` // how many pixels differ
	Pictures []comparedPic `json:"pictures"`
}

type comparedPic struct {
	Title string    `json:"title"`
	Shot  *shotData `json:"shot"`
}

// compared collects the images of a comparison, if they are files of the step.
func (b *builder) compared(s *event.StepResult) *comparedData {
	if s.Detail == nil || s.Detail.Compared == nil {
		return nil
	}
	c := s.Detail.Compared
	d := &comparedData{Name: shown(c.Name, maxLabel), Said: fmt.Sprintf("%d pixels differ, %.4f %%", c.Pixels, c.Percent)}
	for _, p := range []struct{ title, path string }{{"Expected", c.Expected}, {"Actual", c.Actual},
		{"Difference", c.Difference}} {
		if slices.ContainsFunc(s.Attachments, func(a event.Attachment) bool {
			return a.Path == p.path &&
				a.Type == "image/png"
		}) {
			d.Pictures = append(d.Pictures, comparedPic{p.title, &shotData{Src: b.link(p.path), path: p.path}})
		}
	}
	if len(d.Pictures) == 0 {
		return nil
	}
	return d
}

// comparedPreviews makes the previews of comparisons.
func (b *builder) comparedPreviews() {
	bytes := 0
	for _, s := range b.out.Steps {
		if s.Compared == nil {
			continue
		}
		for _, p := range s.Compared.Pictures {
			if bytes > maxPreviewBytes {
				b.measure(p.Shot)
			} else if b.preview(p.Shot, s.N) {
				bytes += len(p.Shot.Small)
			}
		}
	}
}
