package appium

import (
	"context"
	"fmt"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/dsl"
)

// CheckActions returns an ErrUnsupported that names what the server lacks for one of the actions of a test. It touches
// nothing.
func (s *Session) CheckActions(ctx context.Context, names []string) error {
	for _, name := range names {
		def, known := dsl.Lookup(name)
		if !known || def.Appium == "" {
			continue
		}
		if def.Appium == shellCommand {
			if err := s.allowsShell(ctx); err != nil {
				return fmt.Errorf("device %s: %s: %w", s.Device, name, err)
			}
			continue
		}
		there, err := s.commands(ctx)
		if err != nil {
			return err
		}
		if command := "mobile: " + def.Appium; there != nil && !there[command] {
			return fmt.Errorf("device %s: %s: %w: the driver at the remote %s has no command %q: update it", s.Device, name,
				drivers.ErrUnsupported, s.Remote, command)
		}
	}
	return nil
}

// commands are those that the driver has; nil: the server does not say. It is asked once.
func (s *Session) commands(ctx context.Context) (map[string]bool, error) {
	s.mu.Lock()
	known, asked := s.known, s.asked
	s.mu.Unlock()
	if asked {
		return known, nil
	}
	err := s.do(ctx, "ask for the commands of the driver", func(ctx context.Context) (err error) {
		known, err = s.Lease.Extensions(ctx)
		return err
	})
	if webdriver.Is(err, webdriver.UnknownCommand, webdriver.UnknownMethod) {
		known, err = nil, nil // a server before Appium 3
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known, s.asked = known, true
	return known, nil
}
