// Command chat serves channels in which devices of one test exchange messages: pages read and write them, and tests do
// it for their phones by http. It prints its URL.
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
)

//go:embed chat.html
var page []byte

// message is one line of a channel.
type message struct {
	From string `json:"from"`
	Text string `json:"text"`
}

// chat has the messages of all channels. Safe for concurrent use.
type chat struct {
	mu       sync.Mutex
	channels map[string][]message
}

func main() {
	address := "127.0.0.1:8080"
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("chat at http://%s\n", l.Addr())
	if err := http.Serve(l, (&chat{channels: map[string][]message{}}).routes()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (c *chat) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page) // the client is gone
	})
	mux.HandleFunc("POST /channels", c.open)
	mux.HandleFunc("GET /channels/{channel}", c.read)
	mux.HandleFunc("POST /channels/{channel}", c.say)
	return mux
}

// open makes a channel of its own for each run of a test.
func (c *chat) open(w http.ResponseWriter, _ *http.Request) {
	c.mu.Lock()
	channel := fmt.Sprintf("channel-%d", len(c.channels)+1)
	c.channels[channel] = []message{}
	c.mu.Unlock()
	answer(w, map[string]string{"channel": channel})
}

func (c *chat) read(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	list := c.channels[r.PathValue("channel")]
	c.mu.Unlock()
	answer(w, list)
}

func (c *chat) say(w http.ResponseWriter, r *http.Request) {
	var m message
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	channel := r.PathValue("channel")
	if _, open := c.channels[channel]; !open {
		http.NotFound(w, r)
		return
	}
	c.channels[channel] = append(c.channels[channel], m)
	w.WriteHeader(http.StatusCreated)
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client is gone
}
