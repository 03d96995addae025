package appium

import (
	"context"
	"fmt"

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
		if err := s.Lacks(ctx, name, def.Appium); err != nil {
			return err
		}
	}
	return nil
}
