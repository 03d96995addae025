package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxLine is the limit of the size of one message.
	maxLine = 16 << 20
	// lastAnswers is how long the server waits for the next response after the end of the input. It is counted in parts,
	// so that a pause of the whole machine costs only one of them.
	lastAnswers = time.Second
	answerParts = 20
)

// stdio is a transport with one message per line. Unlike the library's own, it survives lines that are not messages,
// and it responds to all requests that were received before the input ended.
type stdio struct {
	in    io.Reader
	out   io.Writer
	log   *slog.Logger
	ended func() // called when the input has ended and all responses are sent, or will not come

	messages chan jsonrpc.Message
	closed   chan struct{}
	once     sync.Once
	write    sync.Mutex

	mu          sync.Mutex
	open        map[string]bool // requests that are not answered yet, by id
	answeredOne chan struct{}   // closed and renewed with each answer
}

var (
	_ mcp.Transport  = (*stdio)(nil)
	_ mcp.Connection = (*stdio)(nil)
)

func newStdio(in io.Reader, out io.Writer, log *slog.Logger, ended func()) *stdio {
	return &stdio{in: in, out: out, log: log, ended: ended, messages: make(chan jsonrpc.Message),
		closed: make(chan struct{}),
		open:   map[string]bool{}, answeredOne: make(chan struct{})}
}

// Connect starts to read. The goroutine that reads ends with the input, because a reader that never returns cannot be
// interrupted.
func (s *stdio) Connect(context.Context) (mcp.Connection, error) {
	go s.receive()
	return s, nil
}

// SessionID is empty: there is one client.
func (s *stdio) SessionID() string { return "" }

// Read returns the next message.
func (s *stdio) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-s.messages:
		if !ok {
			return nil, io.EOF
		}
		return m, nil
	case <-s.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write sends one message.
func (s *stdio) Write(ctx context.Context, m jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	s.write.Lock()
	_, err = s.out.Write(append(data, '\n'))
	s.write.Unlock()
	if answer, ok := m.(*jsonrpc.Response); ok {
		s.answered(answer.ID)
	}
	return err
}

// Close ends Read.
func (s *stdio) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

func (s *stdio) receive() {
	defer s.ended()
	defer close(s.messages)
	in := bufio.NewReaderSize(s.in, 64<<10)
	for {
		line, err := readLine(in, maxLine)
		for _, m := range s.decode(line) {
			select {
			case s.messages <- m:
			case <-s.closed:
				return
			}
		}
		if err != nil {
			s.settle()
			return
		}
	}
}

// readLine reads one line without white space around it. A line beyond the limit is read to its end and dropped.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > limit; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))), err
		}
	}
}

// decode returns the messages of a line: one, or those of a batch. Anything else is skipped.
func (s *stdio) decode(line []byte) []jsonrpc.Message {
	if len(line) == 0 {
		return nil
	}
	var parts []json.RawMessage
	if line[0] != '[' || json.Unmarshal(line, &parts) != nil {
		parts = []json.RawMessage{line}
	}
	var good []jsonrpc.Message
	for _, part := range parts {
		m, err := s.message(part)
		if err != nil && s.rejected(part) {
			continue
		}
		if err != nil { // its text may contain a secret: only its size is logged
			s.log.Debug("skipped a line that is not a message", "bytes", len(part))
			continue
		}
		good = append(good, m)
	}
	return good
}

// rejected responds to a request without the version of the protocol, or with another one, and reports whether it did.
func (s *stdio) rejected(part []byte) bool {
	var r struct {
		Version any             `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
	}
	if json.Unmarshal(part, &r) != nil || r.Method == nil || len(r.ID) == 0 || r.Version == "2.0" {
		return false
	}
	var id any
	if json.Unmarshal(r.ID, &id) != nil {
		return false
	}
	switch id.(type) {
	case string, float64:
	default:
		return false
	}
	answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": r.ID, "error": map[string]any{
		"code":    jsonrpc.CodeInvalidRequest,
		"message": `invalid request: "jsonrpc" must be "2.0"`}})
	if err != nil {
		return false
	}
	s.write.Lock()
	defer s.write.Unlock()
	_, _ = s.out.Write(append(answer, '\n')) // if the output is closed, Write ends the session
	return true
}

func (s *stdio) message(data []byte) (jsonrpc.Message, error) {
	if !json.Valid(data) {
		return nil, errors.New("not JSON")
	}
	m, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		return nil, err
	}
	if request, ok := m.(*jsonrpc.Request); ok && request.IsCall() && !s.register(request.ID) {
		return nil, errors.New("the id of a request that is not answered yet")
	}
	return m, nil
}

// register registers a request, and reports whether its id was free.
func (s *stdio) register(id jsonrpc.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprintf("%T %v", id.Raw(), id.Raw())
	if s.open[key] {
		return false
	}
	s.open[key] = true
	return true
}

func (s *stdio) answered(id jsonrpc.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, fmt.Sprintf("%T %v", id.Raw(), id.Raw()))
	close(s.answeredOne)
	s.answeredOne = make(chan struct{})
}

// settle waits until every request has its response, as long as responses come.
func (s *stdio) settle() {
	tick := time.NewTicker(lastAnswers / answerParts)
	defer tick.Stop()
	open := -1
	for left := answerParts; left > 0; left-- {
		s.mu.Lock()
		answeredOne, n := s.answeredOne, len(s.open)
		s.mu.Unlock()
		if n == 0 {
			return
		}
		if n != open {
			open, left = n, answerParts
		}
		select {
		case <-answeredOne:
		case <-tick.C:
		case <-s.closed:
			return
		}
	}
}
