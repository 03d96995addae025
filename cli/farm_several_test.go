package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/testutil"
)

// secondHost joins another host with one phone, of which the name is not that of a phone of the first.
func (f *farm) secondHost(name string) (*lab, *child) {
	l := newLab(f.hub.t, 1)
	return l, l.start("taproot", "host", "--hub", f.serve.url, "--name", name, "--data", filepath.Join(l.tmp, "host"),
		"--token", f.token())
}

// Two hosts with one phone each run a test with two phones: one runs it, and the other one lends its phone. A case
// waits for both, and says why. When the host that lends is killed, the test ends as an error that names the device.
func TestSeveralDevicesOfAFarm(t *testing.T) {
	t.Parallel()
	f := newFarmWith(t, recordingLab(t, 1))
	f.join("--token", f.token())
	_, east := f.secondHost("east")
	client := recordingLab(t, 0)
	client.env = append(client.env, "TAPROOT_API_KEY="+f.key, "TAPROOT_HUB="+f.serve.url)
	eventually(t, "both phones are free", func() bool {
		return f.device("SIM1@desk") == "free" && f.device("SIM1@east") == "free"
	})
	client.several("pair", "", `steps:
  - on: {carol: [`+launchesList+`]}
  - on:
      alice: [`+launchesList+`, {assert: Payments}]
      carol: [{assert: Payments}, {copyText: {label: Payments, as: seen}}]
  - assertTrue: seen == "Payments"
`)
	e := client.taproot("run", "pair.yaml")
	e.exits(t, 0)
	has(t, "stdout", e.stdout, "✓ PASS pair · alice SIM1", "carol SIM1@")
	dir := client.packs()[0]
	for _, name := range []string{"logcat.txt", "logcat-carol.txt", "recording.mp4", "recording-carol.mp4"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	has(t, "summary.json", read(t, dir, "summary.json"), `"name": "alice"`, `"name": "carol"`)

	client.several("waits", "", "steps:\n  - on: {alice: ["+launchesList+"], carol: ["+launchesList+"]}\n"+
		"  - on: {carol: [{assert: {label: Never there, timeout: 100s}}]}\n")
	run := client.start("taproot", "run", "waits.yaml")
	client.untilStep("waits", 3)
	status := func() string { return client.taproot("farm", "status").stdout }
	has(t, "farm status", status(), "alice: SIM1@", "carol: SIM1@")
	second := client.start("taproot", "run", "pair.yaml")
	eventually(t, "another case waits, with the reason", func() bool {
		text := status()
		return strings.Contains(text, "alice: android; carol: android") &&
			strings.Contains(text, "it waits for devices that are in use: alice: SIM1@desk (by its project)")
	})
	lender, lends := east, "east"
	if strings.Contains(status(), "alice: SIM1@east") {
		t.Fatal("the host of the first phone is expected to be the first by name")
	}
	if err := lender.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = lender.cmd.Wait()
	end := run.wait()
	end.exits(t, 3)
	has(t, "stdout", end.stdout, "! ERROR waits · ", fmt.Sprintf("carol (SIM1@%s)", lends))
	_ = second.cmd.Process.Kill()
	_ = second.cmd.Wait()
	eventually(t, "the phone of the host that runs is free", func() bool {
		return f.device("SIM1@desk") == "free" || f.device("SIM1") == "free"
	})
}

// runsOn waits until a test runs on two phones, as farm status shows it.
func (l *lab) runsOn(alice, carol string) {
	l.t.Helper()
	last := ""
	eventually(l.t, "the test runs on "+alice+" and "+carol, func() bool {
		last = l.taproot("farm", "status").stdout
		ok := strings.Contains(last, "alice: SIM1@"+alice) && strings.Contains(last, "carol: SIM1@"+carol)
		if !ok && l.t.Failed() {
			l.t.Logf("farm status:\n%s", last)
		}
		return ok
	})
}

// Three hosts with one phone each. When the host that lends its phone is killed, a test with retries runs again with
// the phone of the third one. When the host that runs the test is killed, it starts again on the two others.
func TestSeveralDevicesOfAFarmSurviveTheirHosts(t *testing.T) {
	testutil.Leave(t, "TestSeveralDevicesOfAFarm")
	t.Parallel()
	f := newFarmWith(t, recordingLab(t, 1))
	desk := f.join("--token", f.token())
	lender, east := f.secondHost("east")
	_, west := f.secondHost("west")
	client := recordingLab(t, 0)
	client.env = append(client.env, "TAPROOT_API_KEY="+f.key, "TAPROOT_HUB="+f.serve.url)
	allFree := func() {
		t.Helper()
		eventually(t, "all phones are free", func() bool {
			return f.device("SIM1@desk") == "free" && f.device("SIM1@east") == "free" && f.device("SIM1@west") == "free"
		})
	}
	allFree()
	kill := func(host *child) {
		t.Helper()
		if err := host.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = host.cmd.Wait()
	}
	client.several("waits", "", "retries: 1\nsteps:\n  - on: {alice: ["+launchesList+"], carol: ["+launchesList+"]}\n"+
		"  - on: {carol: ["+neverThere+"]}\n")
	run := client.start("taproot", "run", "waits.yaml")
	client.runsOn("desk", "east")
	client.untilStep("waits", 3)
	kill(east)
	client.runsOn("desk", "west")
	if err := run.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	end := run.wait()
	end.exits(t, 3) // by the first attempt: the second one was interrupted
	has(t, "stdout", end.stdout, "! ERROR waits · ", "carol (SIM1@east)")

	east = lender.start("taproot", "host", "--hub", f.serve.url, "--name", "east", "--data",
		filepath.Join(lender.tmp, "host"))
	allFree()
	if err := os.RemoveAll(client.reports); err != nil {
		t.Fatal(err)
	}
	run = client.start("taproot", "run", "waits.yaml")
	client.runsOn("desk", "east")
	client.untilStep("waits", 3)
	kill(desk)
	client.runsOn("east", "west")
	if err := run.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	run.wait().exits(t, 130)
	eventually(t, "the phones of the others are free", func() bool {
		return f.device("SIM1@east") == "free" && f.device("SIM1@west") == "free"
	})
	kill(east)
	kill(west)
}
