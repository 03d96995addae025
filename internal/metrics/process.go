package metrics

import (
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// started is close to the start of the process.
var started = time.Now()

// WriteProcess writes the metrics of this process under the names that Prometheus' clients use: those of Go, and on
// Linux those of the operating system.
func WriteProcess(w io.Writer) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	gauge := func(name string, v float64) { sample(w, "gauge", name, v) }
	counter := func(name string, v float64) { sample(w, "counter", name, v) }
	gauge("go_goroutines", float64(runtime.NumGoroutine()))
	gauge("go_gomaxprocs", float64(runtime.GOMAXPROCS(0)))
	gauge("go_memstats_alloc_bytes", float64(m.Alloc))
	counter("go_memstats_alloc_bytes_total", float64(m.TotalAlloc))
	gauge("go_memstats_heap_alloc_bytes", float64(m.HeapAlloc))
	gauge("go_memstats_heap_idle_bytes", float64(m.HeapIdle))
	gauge("go_memstats_heap_inuse_bytes", float64(m.HeapInuse))
	gauge("go_memstats_heap_objects", float64(m.HeapObjects))
	gauge("go_memstats_heap_released_bytes", float64(m.HeapReleased))
	gauge("go_memstats_heap_sys_bytes", float64(m.HeapSys))
	gauge("go_memstats_next_gc_bytes", float64(m.NextGC))
	gauge("go_memstats_stack_inuse_bytes", float64(m.StackInuse))
	gauge("go_memstats_sys_bytes", float64(m.Sys))
	counter("go_gc_count", float64(m.NumGC))
	counter("go_gc_pause_seconds_total", time.Duration(m.PauseTotalNs).Seconds())
	gauge("process_start_time_seconds", float64(started.Unix()))
	if stat, err := os.ReadFile("/proc/self/stat"); err == nil {
		writeStat(w, string(stat))
	}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		gauge("process_open_fds", float64(len(files)))
	}
}

// writeStat writes what Linux counts, from /proc/self/stat: proc_pid_stat(5) numbers its fields.
func writeStat(w io.Writer, stat string) {
	_, rest, found := strings.Cut(stat, ") ") // the name of the program may contain spaces
	if !found {
		return
	}
	fields := strings.Fields(rest)
	const first = 3 // the number of the first field after the name
	value := func(field int) float64 {
		if field-first >= len(fields) {
			return 0
		}
		v, _ := strconv.ParseFloat(fields[field-first], 64) // a field of this file is a number
		return v
	}
	const ticks = 100 // of a second; the same on each platform that Go supports
	user, system := value(14)/ticks, value(15)/ticks
	sample(w, "counter", "process_cpu_seconds_total", user+system)
	sample(w, "counter", "process_cpu_seconds_user_total", user)
	sample(w, "counter", "process_cpu_seconds_system_total", system)
	sample(w, "counter", "process_minor_pagefaults_total", value(10))
	sample(w, "counter", "process_major_pagefaults_total", value(12))
	sample(w, "gauge", "process_num_threads", value(20))
	sample(w, "gauge", "process_virtual_memory_bytes", value(23))
	sample(w, "gauge", "process_resident_memory_bytes", value(24)*float64(os.Getpagesize()))
}

func sample(w io.Writer, kind, name string, v float64) {
	io.WriteString(w, "# TYPE "+name+" "+kind+"\n") // as in Set.Write
	line(w, name, "", strconv.FormatFloat(v, 'f', -1, 64))
}
