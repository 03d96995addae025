package web

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/dom"
)

// registerEngine makes our selector engine known to a context that was there before us. playwright-go v0.5700.1 tells only those that
// it made itself of it, and has no call for the others, so the message is sent on the context's own channel, which is not exported.
func registerEngine(context playwright.BrowserContext) error {
	outdated := errors.New("this version of playwright-go cannot tell a running browser of a selector engine")
	v := reflect.ValueOf(context)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return outdated
	}
	field := v.Elem().FieldByName("channel")
	if !field.IsValid() || !field.CanAddr() {
		return outdated
	}
	channel := reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
	sender, ok := channel.Interface().(interface {
		Send(method string, options ...any) (any, error)
	})
	if !ok {
		return outdated
	}
	_, err := sender.Send("registerSelectorEngine", map[string]any{"selectorEngine": map[string]any{
		"name": engineName, "source": dom.Engine(), "contentScript": true}})
	if err != nil {
		return fmt.Errorf("prepare the running browser: %w", err)
	}
	return nil
}
