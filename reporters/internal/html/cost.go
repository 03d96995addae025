package html

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/format"
)

const (
	maxMetrics = 4 << 20
	maxPoints  = 200 // of one curve
)

// costData is one line of the app's use of the device, with its curve, or of a model's cost.
type costData struct {
	Name   string    `json:"name"`
	Value  string    `json:"value"`
	Points []float64 `json:"points,omitempty"`
}

// cost reads the metrics of the pack. Without valid metrics it adds nothing.
func (b *builder) cost() {
	data, err := readFile(b.root, event.MetricsPath, maxMetrics)
	var m event.Metrics
	if err != nil || json.Unmarshal(data, &m) != nil || format.Check(event.MetricsPath, m.Format, format.Metrics) != nil {
		return
	}
	for _, use := range m.Models {
		b.out.Cost = append(b.out.Cost, costData{Name: "AI", Value: shown(cost(&use), maxLabel)})
	}
	if len(m.Samples) == 0 {
		return
	}
	m.Samples = ofLastApp(m.Samples)
	m.SumUp() // do not trust the summary in the file
	b.out.CostOf = shown(m.Samples[0].App, maxLabel)
	var memory, cpu []float64
	used, busy := seriesData{Name: "Memory", Unit: "MB"}, seriesData{Name: "CPU", Unit: "%"}
	for i, s := range m.Samples {
		if every := (len(m.Samples) + maxPoints - 1) / maxPoints; i%every == 0 {
			if s.MemoryKB != nil {
				used.Points = append(used.Points, [2]float64{float64(s.AtMS), math.Round(float64(*s.MemoryKB)/102.4) / 10})
			}
			if s.CPUPercent != nil {
				busy.Points = append(busy.Points, [2]float64{float64(s.AtMS), *s.CPUPercent})
			}
		}
		if s.MemoryKB != nil {
			memory = append(memory, float64(*s.MemoryKB)/1024)
		}
		if s.CPUPercent != nil {
			cpu = append(cpu, *s.CPUPercent)
		}
	}
	for _, curve := range []seriesData{used, busy} {
		if len(curve.Points) > 1 {
			b.out.Series = append(b.out.Series, curve)
		}
	}
	s := m.Summary
	if len(memory) > 0 {
		b.out.Cost = append(b.out.Cost,
			costData{"Memory", fmt.Sprintf("%.0f MB at most, %.0f MB on average", float64(s.MemoryKBMax)/1024,
				float64(s.MemoryKBMean)/1024), thin(memory)})
	}
	if len(cpu) > 0 {
		b.out.Cost = append(b.out.Cost, costData{"CPU", fmt.Sprintf("%.0f %% of a core at most, %.0f %% on average",
			s.CPUPercentMax, s.CPUPercentMean),
			thin(cpu)})
	}
	if s.Frames > 0 {
		b.out.Cost = append(b.out.Cost, costData{Name: "Frames", Value: fmt.Sprintf("%d drawn, %d of them late (%.1f %%)",
			s.Frames, s.JankyFrames,
			100*float64(s.JankyFrames)/float64(s.Frames))})
	}
}

// ofLastApp keeps the samples of the app that was measured last: earlier apps are not the tested one.
func ofLastApp(samples []event.Sample) []event.Sample {
	last := samples[len(samples)-1].App
	return slices.DeleteFunc(slices.Clone(samples), func(s event.Sample) bool { return s.App != last })
}

// thin reduces a curve to as many points as can be seen.
func thin(points []float64) []float64 {
	if len(points) < 2 {
		return nil
	}
	step := (len(points) + maxPoints - 1) / maxPoints
	var out []float64
	for i := 0; i < len(points); i += step {
		out = append(out, points[i])
	}
	return out
}
