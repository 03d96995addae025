package vision_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/vision"
)

const mockPackage = "@dwmkerr/mock-llm@0.1.29"

// mockConfig responds to a question about an image by the words in it, an error with a word of its own, and refuses
// what is not a question.
const mockConfig = `rules:
  - path: "/v1/chat/completions"
    match: "@"
    response:
      status: 400
      content: '{"error":{"message":"not a question about a picture","type":"invalid_request_error"}}'
  - path: "/v1/chat/completions"
    match: "body.temperature == ` + "`0`" +
	` && body.seed != null && body.response_format.json_schema.strict && body.messages[0].role == 'system' && ` +
	`body.messages[1].content[1].type == 'image_url' && starts_with(body.messages[1].content[1].image_url.url, ` +
	`'data:image/png;base64,')"
    response:
      status: 200
      content: '{"id":"c1","object":"chat.completion","model":"{{jmes request ` +
	`body.model}}","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",` +
	`"content":"{\"passed\":false,\"reason\":\"it is empty\",\"evidence\":[]}"}}],` +
	`"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}}'
  - path: "/v1/chat/completions"
    match: "contains(body.messages[1].content[0].text, 'a green field')"
    response:
      status: 200
      content: '{"id":"c2","object":"chat.completion","model":"{{jmes request ` +
	`body.model}}","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",` +
	`"content":"{\"passed\":true,\"reason\":\"it is green\",\"evidence\":[{\"text\":\"\",\"box\":[10,10,90,90]}]}"}}],` +
	`"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}}'
  - path: "/v1/chat/completions"
    match: "contains(body.messages[1].content[0].text, 'error-401')"
    response:
      status: 401
      content: '{"error":{"message":"Incorrect API key ` +
	`provided.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}'
`

// TestMockLLM queries an OpenAI-compatible server that others wrote.
func TestMockLLM(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server from npm, which must be installed first: make test-full")
	}
	base := startMock(t)
	models := vision.New(vision.Options{Timeout: time.Minute, Getenv: func(name string) string {
		return map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": base + "/v1", "TAPROOT_AI_MODEL": "mocked"}[name]
	}})
	said, err := models.Judge(t.Context(), randomScreen(0), "there is a green field", 3)
	if err != nil || !said.Passed || said.For != 2 || said.Call.Answers[0].Model != "mocked" ||
		said.Call.Answers[0].PromptTokens != 5 {
		t.Errorf("judged %+v, %v", said, err)
	}
	if said, err := models.Judge(t.Context(), randomScreen(0), "there is a red field", 1); err != nil || said.Passed ||
		said.Reason != "it is empty" {
		t.Errorf("judged %+v, %v", said, err)
	}
	if said, err := models.Judge(t.Context(), randomScreen(0), "error-401", 1); err == nil || said.Passed ||
		!strings.Contains(err.Error(), "Incorrect API key") {
		t.Errorf("judged %+v, %v", said, err)
	}
}

// startMock installs the server once, into the user's cache, starts it and returns its address.
func startMock(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "taproot", "npm", strings.NewReplacer("@", "-", "/", "-").Replace(mockPackage))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(filepath.Join(dir, "install.lock"))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(dir, "node_modules", "@dwmkerr", "mock-llm", "dist", "main.js")
	if _, err := os.Stat(filepath.Join(dir, "done")); err != nil {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
		defer cancel()
		install := exec.CommandContext(ctx, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev",
			"--prefix", dir, mockPackage)
		if out, err := install.CombinedOutput(); err != nil {
			t.Fatalf("this test asks the npm package %s, which npm could not install (it is needed once, and needs Node and a "+
				"network): %v\n%s", mockPackage, err, out)
		}
		if err := os.WriteFile(filepath.Join(dir, "done"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "mock-llm.yaml")
	if err := os.WriteFile(config, []byte(mockConfig), 0o644); err != nil {
		t.Fatal(err)
	}
	ports, err := drivers.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	port := ports[0]
	var said bytes.Buffer
	server := exec.Command("node", main, "--config", config)
	server.Env = append(os.Environ(), "HOST=127.0.0.1", "PORT="+port)
	server.Stdout, server.Stderr = &said, &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	base := "http://127.0.0.1:" + port
	for deadline := time.Now().Add(2 * time.Minute); ; {
		answer, err := http.Get(base + "/health")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return base
			}
		}
		if time.Now().After(deadline) {
			_ = server.Process.Kill()
			_ = server.Wait()
			t.Fatalf("the mock server does not answer: %v\n%s", err, said.Bytes())
		}
		time.Sleep(50 * time.Millisecond)
	}
}
