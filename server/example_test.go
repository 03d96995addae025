package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server"
)

func ExampleServer_Handler() {
	dir, err := os.MkdirTemp("", "tests")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, err := server.New(server.Options{Config: run.Config{Dir: dir, Reports: dir}, Drivers: []drivers.Driver{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/devices/pixel-9", nil))
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output: 404 application/json
}
