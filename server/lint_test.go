//go:build lint

package server_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// spectralRules are those of spectral without two: the contact depends on the operator, and WebSockets have no success
// status except 101.
const spectralRules = `extends: ["spectral:oas"]
rules:
  info-contact: off
  operation-success-response:
    message: an operation without a success
    given: $.paths[?(@property != '/devices/{id}/input' && @property != ` +
	`'/devices/{id}/adb')][get,put,post,delete,patch].responses
    severity: warn
    then: {function: schema, functionOptions: {schema: {not: {propertyNames: {pattern: "^[^23]"}}}}}
`

// TestLint: linters of others find no errors in the OpenAPI document. npm downloads them once.
func TestLint(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	dir := t.TempDir()
	for name, text := range map[string][]byte{
		"openapi.json":   l.ask("GET", "/openapi.json", nil).body,
		"redocly.yaml":   []byte("extends: [recommended]\nrules: {no-server-example.com: error}\n"),
		".spectral.yaml": []byte(spectralRules),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"--package=@redocly/cli@2.14.0", "--", "redocly", "lint", "openapi.json", "--max-problems=20"},
		{"--package=@stoplight/spectral-cli@6.15.0", "--", "spectral", "lint", "openapi.json", "--fail-severity=warn"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		cmd := exec.CommandContext(ctx, "npm", append([]string{"exec", "--yes", "--silent"}, args...)...)
		cmd.Dir, cmd.WaitDelay = dir, 5*time.Second
		cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true",
			"npm_config_update_notifier=false")
		said, err := cmd.CombinedOutput()
		cancel()
		if err != nil {
			t.Errorf("%v (it needs Node and, once, a network): %v\n%s", args, err, cutTo(string(said), 6000))
		}
	}
}

// client uses the types that are generated from the document. Its second half must not compile.
const client = `import createClient from "openapi-fetch";
import type { components, paths } from "./api";
const api = createClient<paths>({ baseUrl: "http://localhost:3210" });
const path = { path: { id: "SIM1" } };
api.POST("/devices/{id}/tap", { params: path, body: { label: "Sign in" } });
api.POST("/devices/{id}/assert-visual", { params: path, body: { prompt: "a log-in" } });
api.POST("/web/launch", { body: { url: "https://example.com", headless: true } });
api.POST("/web/assert", { body: { selector: "h1", text: "Welcome" } });
api.GET("/devices").then(({ data }) => data?.map((d) => d.id));
`

const wrongClient = `
// @ts-expect-error no such field
api.POST("/devices/{id}/tap", { params: path, body: { labell: "Sign in" } });
// @ts-expect-error nothing to tap
api.POST("/devices/{id}/tap", { params: path, body: { timeoutMs: 500 } });
// @ts-expect-error a number is no label
api.POST("/devices/{id}/tap", { params: path, body: { label: 5 } });
// @ts-expect-error no such field in a selector
api.POST("/devices/{id}/wait-for", { params: path, body: { visible: { labell: "Sign in" } } });
// @ts-expect-error no such path
api.POST("/devices/{id}/tapp", { params: path, body: { label: "Sign in" } });
// @ts-expect-error an address is needed
api.POST("/web/launch", { body: {} });
// @ts-expect-error an unknown field with a known one: openapi-fetch accepts it, the type itself does not
export const more: components["schemas"]["tapBody"] = { label: "Sign in", labell: "x" };
export const enough: components["schemas"]["tapBody"] = { label: "Sign in", timeoutMs: 500 };
`

// TestTypeScriptClient: types that openapi-typescript generates from the document accept what the API accepts, and
// reject what it rejects.
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	dir := t.TempDir()
	for name, text := range map[string]string{"openapi.json": string(l.ask("GET", "/openapi.json", nil).body),
		"client.ts":    client + wrongClient,
		"package.json": `{"private": true, "type": "module"}`,
		"tsconfig.json": `{"compilerOptions": {"strict": true, "noEmit": true, "moduleResolution": "bundler", "module": ` +
			`"esnext", "target": "es2022", "lib": ["es2022", "dom"], "skipLibCheck": true, "types": []}, "include": ["*.ts"]}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"install", "--silent", "--no-audit", "--no-fund", "openapi-typescript@7.13.0", "openapi-fetch@0.17.0",
			"typescript@5.9.3"},
		{"exec", "--silent", "--", "openapi-typescript", "openapi.json", "-o", "api.d.ts"},
		{"exec", "--silent", "--", "tsc"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		cmd := exec.CommandContext(ctx, "npm", args...)
		cmd.Dir, cmd.WaitDelay = dir, 5*time.Second
		said, err := cmd.CombinedOutput()
		cancel()
		if err != nil {
			t.Fatalf("%v (it needs Node and, once, a network): %v\n%s", args, err, cutTo(string(said), 6000))
		}
	}
}
