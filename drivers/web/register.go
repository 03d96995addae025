package web

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/dom"
)

// registerEngine makes our selector engine known to a context that was there before us. playwright-go v0.5700.1
// registers only those that it made itself of it, and has no call for the others, so the message is sent on the
// context's own channel, which is not exported.
func registerEngine(context playwright.BrowserContext) error {
	sender, err := channelOf(context)
	if err != nil {
		return err
	}
	_, err = sender.Send("registerSelectorEngine", map[string]any{"selectorEngine": map[string]any{
		"name": engineName, "source": dom.Engine(), "contentScript": true}})
	if err != nil {
		return fmt.Errorf("prepare the running browser: %w", err)
	}
	return nil
}

// channel sends messages that playwright-go has no call for.
type channel interface {
	Send(method string, options ...any) (any, error)
}

// channelOf returns the channel of an object of playwright-go, which is not exported.
func channelOf(of any) (channel, error) {
	outdated := errors.New("this version of playwright-go cannot send messages of the caller's own")
	v := reflect.ValueOf(of)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil, outdated
	}
	field := v.Elem().FieldByName("channel")
	if !field.IsValid() || !field.CanAddr() {
		return nil, outdated
	}
	sender, ok := reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Interface().(channel)
	if !ok {
		return nil, outdated
	}
	return sender, nil
}
