package android

import (
	"image"
	"testing"

	"github.com/taproot-dev/taproot/internal/sim/android"
)

// BenchmarkThroughADB is what one call costs through the real adb server when the phone itself takes no time.
func BenchmarkThroughADB(b *testing.B) {
	phone := androidsim.NewPhone(androidsim.Options{IdleQuiet: 1})
	b.Cleanup(phone.Close)
	adb := androidsim.StartADB(b)
	serial := adb.Connect(b, phone)
	driver := New(Options{Getenv: portEnv(adb.Port), FindADB: serverAt("").FindADB})
	dev, err := driver.Open(b.Context(), serial)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := driver.Close(); err != nil {
			b.Error(err)
		}
	})
	for name, call := range map[string]func() error{
		"tree":       func() error { _, err := dev.Tree(b.Context()); return err },
		"screenshot": func() error { _, err := dev.Screenshot(b.Context()); return err },
		"tap":        func() error { return dev.Tap(b.Context(), image.Pt(5, 5)) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := call(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
