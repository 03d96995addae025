package event

// MetricsPath is where a pack keeps the app's use of the device.
const MetricsPath = "artifacts/metrics.json"

// Metrics are the app's use of the device during a case, and what the requests to AI models cost. Values that the
// device did not report are left out.
type Metrics struct {
	Format     string         `json:"format"`
	IntervalMS int64          `json:"interval_ms,omitempty"`
	Summary    MetricsSummary `json:"summary"`
	Samples    []Sample       `json:"samples,omitempty"`
	Models     []ModelUse     `json:"models,omitempty"` // by name
}

// AddModelUse adds a step's requests to a model.
func (m *Metrics) AddModelUse(use ModelUse) {
	for i := range m.Models {
		if of := &m.Models[i]; of.Name == use.Name {
			of.Calls, of.Replayed = of.Calls+use.Calls, of.Replayed+use.Replayed
			of.PromptTokens, of.CompletionTokens = of.PromptTokens+use.PromptTokens, of.CompletionTokens+use.CompletionTokens
			return
		}
	}
	m.Models = append(m.Models, use)
}

// Sample is one measurement of the app.
type Sample struct {
	AtMS       int64    `json:"at_ms"` // since the case started
	App        string   `json:"app"`
	MemoryKB   *int64   `json:"memory_kb,omitempty"`
	CPUPercent *float64 `json:"cpu_percent,omitempty"`  // of one core, since the sample before
	Frames     *int64   `json:"frames,omitempty"`       // drawn since the app started
	Janky      *int64   `json:"janky_frames,omitempty"` // of them, the late ones
}

// MetricsSummary is computed from the samples. Frames are those of the app that was measured last.
type MetricsSummary struct {
	MemoryKBMax    int64   `json:"memory_kb_max,omitempty"`
	MemoryKBMean   int64   `json:"memory_kb_mean,omitempty"`
	CPUPercentMax  float64 `json:"cpu_percent_max,omitempty"`
	CPUPercentMean float64 `json:"cpu_percent_mean,omitempty"`
	Frames         int64   `json:"frames,omitempty"`
	JankyFrames    int64   `json:"janky_frames,omitempty"`
}

// SumUp fills in the summary.
func (m *Metrics) SumUp() {
	var s MetricsSummary
	var memory, memories int64
	var cpu float64
	cpus := 0
	for _, one := range m.Samples {
		if v := one.MemoryKB; v != nil {
			s.MemoryKBMax = max(s.MemoryKBMax, *v)
			memory, memories = memory+*v, memories+1
		}
		if v := one.CPUPercent; v != nil {
			s.CPUPercentMax = max(s.CPUPercentMax, *v)
			cpu, cpus = cpu+*v, cpus+1
		}
		if one.Frames != nil {
			s.Frames, s.JankyFrames = *one.Frames, 0
		}
		if one.Janky != nil {
			s.JankyFrames = *one.Janky
		}
	}
	if memories > 0 {
		s.MemoryKBMean = memory / memories
	}
	if cpus > 0 {
		s.CPUPercentMean = cpu / float64(cpus)
	}
	m.Summary = s
}
