package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
