package history_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// Example keeps a pack while its case runs, and reads it back with the run that it belongs to.
func Example() {
	root, err := os.MkdirTemp("", "reports")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	run, err := pack.NewRunDir(root, time.Now())
	if err != nil {
		fmt.Println(err)
		return
	}
	c := event.Case{ID: "login", Pack: "login", Platform: "web"}
	p, err := run.NewPack(c, pack.PackOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = errors.Join(p.Emit(event.Event{Kind: event.CaseStarted, Case: &c}),
		p.Emit(event.Event{Kind: event.CaseEnded, Result: event.Pass}))
	if _, ended := p.Finish(context.Background()); ended != nil {
		err = errors.Join(err, ended)
	}
	loaded, loadErr := history.LoadRun(run.Path())
	if err = errors.Join(err, loadErr, run.Close()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(loaded.Cases[0].Key, loaded.Cases[0].CaseResult.Result)
	// Output: login pass
}
