package metrics

import (
	"strings"
	"testing"
)

// TestWrite compares the whole text: families sorted, one type each, buckets that include the smaller ones.
func TestWrite(t *testing.T) {
	s := NewSet()
	s.Counter(`runs_total{result="pass"}`).Inc()
	s.Counter(`runs_total{result="pass"}`).Add(2)
	s.Counter(`runs_total{result="fail"}`).Add(-1)
	s.Gauge("runs_total_now").Set(7)
	g := s.Gauge("in_flight")
	g.Inc()
	g.Inc()
	g.Dec()
	bounds := ExponentialBounds(0.5, 2, 3)
	for _, v := range []float64{0.1, 0.5, 0.6, 2, 2.5} {
		s.Histogram(`wait_seconds{pool="a}b"}`, bounds).Update(v)
	}
	s.Histogram("bare", []float64{1}).Update(0.25)
	const want = `# TYPE bare histogram
bare_bucket{le="1"} 1
bare_bucket{le="+Inf"} 1
bare_sum 0.25
bare_count 1
# TYPE in_flight gauge
in_flight 1
# TYPE runs_total counter
runs_total{result="fail"} 0
runs_total{result="pass"} 3
# TYPE runs_total_now gauge
runs_total_now 7
# TYPE wait_seconds histogram
wait_seconds_bucket{pool="a}b",le="0.5"} 2
wait_seconds_bucket{pool="a}b",le="1"} 3
wait_seconds_bucket{pool="a}b",le="2"} 4
wait_seconds_bucket{pool="a}b",le="+Inf"} 5
wait_seconds_sum{pool="a}b"} 5.7
wait_seconds_count{pool="a}b"} 5
`
	var out strings.Builder
	s.Write(&out)
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// TestWriteStat reads a line of /proc/self/stat of a program with a space and a parenthesis in its name.
func TestWriteStat(t *testing.T) {
	var out strings.Builder
	writeStat(&out,
		"42 (a ( b) S 1 42 42 0 -1 4194560 1400 0 3 0 250 150 0 0 20 0 9 0 777 1000000 25 18446744073709551615")
	for _, want := range []string{"process_cpu_seconds_total 4\n", "process_cpu_seconds_user_total 2.5\n",
		"process_minor_pagefaults_total 1400\n", "process_major_pagefaults_total 3\n", "process_num_threads 9\n",
		"process_virtual_memory_bytes 1000000\n", "# TYPE process_resident_memory_bytes gauge\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	out.Reset()
	WriteProcess(&out)
	if !strings.Contains(out.String(), "# TYPE go_goroutines gauge\ngo_goroutines ") {
		t.Errorf("no goroutines in\n%s", out.String())
	}
}
