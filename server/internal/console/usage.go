package console

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/server/internal/service"
)

// usage is the number of requests compared with the plan.
type usage struct {
	service.Usage
	Percent   int
	Since     string
	Total     int
	Bars      []bar
	Lines     []line
	By, Paths []count
	Width     int
}

// bar is a day in the chart.
type bar struct {
	Day, Label   string
	N            int
	X, Y, Height int
	Middle       int
}

// line is one of the lines behind the bars.
type line struct{ Y, N int }

type count struct {
	Name string
	N    int
}

// The size of the chart, in its own units.
const (
	chartLeft   = 52
	chartHeight = 160
	chartStep   = 20
)

var sinces = []string{"month", "30", "90"}

func (c *projectPages) usage(q *request) error {
	since := q.r.URL.Query().Get("since")
	if !slices.Contains(sinces, since) {
		since = sinces[0]
	}
	now := time.Now().UTC()
	first, last := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC), time.Date(now.Year(), now.Month()+1, 0, 0,
		0, 0, 0, time.UTC)
	switch since {
	case "30":
		first, last = now.AddDate(0, 0, -29), now
	case "90":
		first, last = now.AddDate(0, 0, -89), now
	}
	u := usage{Since: since}
	var err error
	if u.Usage, err = q.project.Usage(q.r.Context(), first.Format(time.DateOnly)); err != nil {
		return err
	}
	names, err := q.names()
	if err != nil {
		return err
	}
	u.Percent = percent(u.Usage)
	u.sum(names)
	u.draw(first, last)
	return q.show("usage", view{Title: "Usage", Tab: "usage", D: u})
}

// sum counts by caller and by path.
func (u *usage) sum(names *strings.Replacer) {
	by, paths := map[string]int{}, map[string]int{}
	for _, d := range u.Days {
		u.Total += d.Requests
		who := names.Replace("key:" + d.Who)
		if strings.HasPrefix(d.Who, "acc_") {
			who = names.Replace("user:" + d.Who)
		}
		by[who] += d.Requests
		paths[d.Endpoint] += d.Requests
	}
	u.By, u.Paths = sorted(by), sorted(paths)
}

func sorted(counts map[string]int) (list []count) {
	for name, n := range counts {
		list = append(list, count{name, n})
	}
	slices.SortFunc(list, func(a, b count) int { return cmp.Or(b.N-a.N, strings.Compare(a.Name, b.Name)) })
	return list
}

// draw returns the bars of the chart.
func (u *usage) draw(first, last time.Time) {
	perDay := map[string]int{}
	most := 0
	for _, d := range u.Days {
		perDay[d.Day] += d.Requests
		most = max(most, perDay[d.Day])
	}
	top := nice(most)
	for _, share := range []int{0, 1, 2} {
		u.Lines = append(u.Lines, line{chartHeight - share*chartHeight/2, share * top / 2})
	}
	step := chartStep
	if last.Sub(first) > 40*24*time.Hour {
		step = chartStep / 2
	}
	x := chartLeft
	for i, day := 0, first; !day.After(last); i, day = i+1, day.AddDate(0, 0, 1) {
		name := day.Format(time.DateOnly)
		b := bar{Day: name, N: perDay[name], X: x + 2, Middle: x + step/2, Height: perDay[name] * chartHeight / top}
		if b.N > 0 {
			b.Height = max(b.Height, 2)
		}
		b.Y = chartHeight - b.Height
		if i%(100/step) == 0 {
			b.Label = day.Format("2 Jan")
		}
		u.Bars = append(u.Bars, b)
		x += step
	}
	u.Width = x + 12
}

// BarWidth leaves a gap between the bars.
func (u usage) BarWidth() int {
	if len(u.Bars) > 40 {
		return chartStep/2 - 3
	}
	return chartStep - 4
}

// nice returns a round, even number that is not less than n.
func nice(n int) int {
	for scale := 1; ; scale *= 10 {
		for _, m := range []int{2, 4, 6, 10} {
			if m*scale >= n {
				return m * scale
			}
		}
	}
}
