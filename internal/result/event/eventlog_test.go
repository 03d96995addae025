package event

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestEventLogOnFullDevice(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("this system has no /dev/full; TestNoSpace covers the same with a limit")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l := Log{File: f}
	err = l.Add(Event{Kind: StepStarted, Step: 1})
	if !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), "keep event step_started: ") || l.size != 0 {
		t.Errorf("%v, size %d", err, l.size)
	}
}
