package system

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/restore"
)

// mockAPI is the first API level with a location service that takes test providers by command.
const mockAPI = 31

// SetLocation makes test providers of the phone's own and sets their place. Apps can distinguish such a place from a
// real one.
func (y *System) SetLocation(ctx context.Context, at drivers.Coordinates) error {
	if err := y.Phone.Since(mockAPI, "a made-up location"); err != nil {
		return err
	}
	y.mu.Lock()
	mocked := y.mocked
	y.mu.Unlock()
	if !mocked {
		if err := y.Debts.Note(func(debts *restore.State) { debts.Location = true }); err != nil {
			return err
		}
		lines := []string{"appops set com.android.shell android:mock_location allow",
			"cmd location set-location-enabled true"}
		for _, p := range restore.LocationProviders() {
			lines = append(lines, "cmd location providers add-test-provider "+p,
				"cmd location providers set-test-provider-enabled "+p+" true")
		}
		if err := y.Debts.Change(ctx, "make test providers of its location", strings.Join(lines, " && ")); err != nil {
			return err
		}
		y.mu.Lock()
		y.mocked = true
		y.mu.Unlock()
	}
	accuracy := at.Accuracy
	if accuracy <= 0 {
		accuracy = 1
	}
	var lines []string
	for _, p := range restore.LocationProviders() {
		lines = append(lines,
			fmt.Sprintf("cmd location providers set-test-provider-location %s --location %s,%s --accuracy %s", p,
				decimal(at.Latitude), decimal(at.Longitude), decimal(accuracy)))
	}
	return y.Debts.Change(ctx, "set its location", strings.Join(lines, " && "))
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
