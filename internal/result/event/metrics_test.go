package event

import "testing"

func TestMetricsSummary(t *testing.T) {
	number := func(n int64) *int64 { return &n }
	percent := func(f float64) *float64 { return &f }
	m := Metrics{Samples: []Sample{
		{MemoryKB: number(100), Frames: number(50), Janky: number(5)},
		{MemoryKB: number(300), CPUPercent: percent(20)},
		{CPUPercent: percent(40), Frames: number(7)}, // the app was started again
	}}
	m.SumUp()
	want := MetricsSummary{MemoryKBMax: 300, MemoryKBMean: 200, CPUPercentMax: 40, CPUPercentMean: 30, Frames: 7}
	if m.Summary != want {
		t.Errorf("summary %+v", m.Summary)
	}
	var none Metrics
	if none.SumUp(); none.Summary != (MetricsSummary{}) {
		t.Errorf("of nothing: %+v", none.Summary)
	}
}
