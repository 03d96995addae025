package android

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/agent"
	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// levels are the Androids that differ in what matters here, or the oldest and the newest of them when tests are to be
// short.
func levels() []int {
	if testing.Short() {
		return []int{24, 36}
	}
	return allLevels()
}

func allLevels() []int { return []int{24, 28, 30, 34, 36} }

func toLogin(ctx context.Context, dev drivers.Device) error {
	return dev.(drivers.Apps).Launch(ctx, androidsim.LoginPackage, true)
}

func TestContract(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		t.Run(fmt.Sprint(api), func(t *testing.T) {
			t.Parallel()
			drivertest.Run(t, drivertest.Subject[*testing.T]{
				ID: "SIM1", Patience: time.Minute, Login: toLogin,
				Driver: func(t *testing.T) drivers.Driver {
					driver, _, _ := newPhones(t, androidsim.Options{API: api, Width: 720, Height: 1280, Density: 280, LoginLoading: 1,
						LoginSpinner: 1, DoubleTap: 5 * time.Second})
					return driver
				},
			})
		})
	}
}

// TestContractWithAgent: the contract holds when the agent reads and touches, too, on every Android that it runs on.
func TestContractWithAgent(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		if api < agent.MinAPI {
			continue
		}
		t.Run(fmt.Sprint(api), func(t *testing.T) {
			t.Parallel()
			drivertest.Run(t, drivertest.Subject[*testing.T]{
				ID: "SIM1", Patience: time.Minute, Login: toLogin,
				Driver: func(t *testing.T) drivers.Driver {
					driver, _, _ := newPhones(t, androidsim.Options{API: api, Width: 720, Height: 1280, Density: 280, LoginLoading: 1,
						LoginSpinner: 1, DoubleTap: 5 * time.Second})
					return withAgent(driver, agent.Require, agentFolder(t, "10.6.6", 278))
				},
			})
		})
	}
}

// TestContractWithAgentThroughRealADB: the agent is reached through a service of the real adb server.
func TestContractWithAgentThroughRealADB(t *testing.T) {
	testutil.Leave(t, "the agent and the real adb, each alone, keep the contract")
	t.Parallel()
	adb := androidsim.StartADB(t)
	phone := androidsim.NewPhone(androidsim.Options{Width: 720, Height: 1280, Density: 280, LoginLoading: 1,
		LoginSpinner: 1, DoubleTap: 5 * time.Second})
	t.Cleanup(phone.Close)
	serial, notes, apks := adb.Connect(t, phone), t.TempDir(), agentFolder(t, "10.6.6", 278)
	drivertest.Run(t, drivertest.Subject[*testing.T]{
		ID: serial, Patience: time.Minute, Login: toLogin,
		Driver: func(*testing.T) drivers.Driver {
			return withAgent(New(Options{Getenv: portEnv(adb.Port), FindADB: serverAt("").FindADB, NotesDir: notes}),
				agent.Require, apks)
		},
	})
	if phone.AgentListens() || phone.Count("uiautomator") != 0 {
		t.Errorf("the agent listens: %v; %d dumps", phone.AgentListens(), phone.Count("uiautomator"))
	}
}

// TestContractThroughRealADB: all phones on one real adb server, at once.
func TestContractThroughRealADB(t *testing.T) {
	t.Parallel()
	adb := androidsim.StartADB(t)
	apis := allLevels()
	if testing.Short() {
		apis = apis[len(apis)-1:]
	}
	for _, api := range apis {
		phone := androidsim.NewPhone(androidsim.Options{API: api, Width: 720, Height: 1280, Density: 280, LoginLoading: 1,
			LoginSpinner: 1, DoubleTap: 5 * time.Second})
		t.Cleanup(phone.Close)
		serial, notes := adb.Connect(t, phone), t.TempDir()
		t.Run(fmt.Sprint(api), func(t *testing.T) {
			t.Parallel()
			drivertest.Run(t, drivertest.Subject[*testing.T]{
				ID: serial, Patience: time.Minute, Login: toLogin,
				Driver: func(*testing.T) drivers.Driver {
					return New(Options{Getenv: portEnv(adb.Port), FindADB: serverAt("").FindADB, NotesDir: notes})
				},
			})
		})
	}
}
