package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/joho/godotenv"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/runner/plan"
)

// settings are the environment, and as a fallback the file .env of the working folder.
type settings struct {
	env  *Env
	file map[string]string
}

// maxEnvFile is the limit of the size of .env.
const maxEnvFile = 1 << 20

func newSettings(env *Env) (settings, error) {
	s := settings{env: env}
	path := filepath.Join(env.Dir, ".env")
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxEnvFile) {
		err = errors.New("not a file of settings")
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return s, &plan.Usage{Msg: ".env cannot be read: " + err.Error()}
	}
	// the parser's error is left out: it may contain secrets
	if s.file, err = godotenv.UnmarshalBytes(data); err != nil {
		return s, &plan.Usage{Msg: ".env cannot be parsed: write NAME=VALUE lines"}
	}
	return s, nil
}

// lookup returns a setting, and whether it is set. It may be set to an empty text.
func (s settings) lookup(name string) (string, bool) {
	if value, ok := s.env.LookupEnv(name); ok {
		return value, true
	}
	value, ok := s.file[name]
	return value, ok
}

func (s settings) get(name string) string {
	value, _ := s.lookup(name)
	return strings.TrimSpace(value)
}

// list returns a setting of several values.
func (s settings) list(name string) []string {
	var list []string
	for _, part := range strings.Split(s.get(name), ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// boolean returns a setting that is on or off. Any other value is an error, never off.
func (s settings) boolean(name string) (bool, error) {
	value := s.get(name)
	if value == "" {
		return false, nil
	}
	on, err := strconv.ParseBool(value)
	if err != nil {
		return false, &plan.Usage{Msg: fmt.Sprintf("%s=%q: use true or false", name, value)}
	}
	return on, nil
}

// origins returns the origins of CORS_ORIGINS and of the server's own URLs.
func (s settings) origins() ([]string, error) {
	// the last two: the desktop viewer
	list := []string{"http://localhost:3210", "http://127.0.0.1:3210", "tauri://localhost", "http://tauri.localhost"}
	for _, name := range []string{"TAPROOT_PUBLIC_URL", "TAPROOT_CONSOLE_URL", "CORS_ORIGINS"} {
		for _, text := range s.list(name) {
			u, err := url.Parse(text)
			if err != nil || u.Host == "" || u.Scheme == "" || strings.Contains(text, "*") || u.User != nil {
				return nil, &plan.Usage{Msg: fmt.Sprintf("%s: %q is not an origin; write https://host or https://host:port",
					name, text)}
			}
			if name == "CORS_ORIGINS" && strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "" {
				return nil, &plan.Usage{
					Msg: fmt.Sprintf("CORS_ORIGINS: %q has a path; an origin is https://host or https://host:port", text)}
			}
			list = append(list, strings.ToLower(u.Scheme+"://"+u.Host))
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

var environmentName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// exposed reads the variables that clients may use. Credentials of the server are rejected.
func (s settings) exposed(names []string) (map[string]string, error) {
	list := map[string]string{}
	for _, name := range names {
		name = strings.TrimSpace(name)
		value, ok := s.lookup(name)
		switch {
		case name == "":
			continue
		case !environmentName.MatchString(name):
			return nil, &plan.Usage{Msg: fmt.Sprintf("--expose-env: %q cannot be the name of a variable", name)}
		case strings.HasPrefix(name, "TAPROOT_JWT") || name == "TAPROOT_API_KEYS" ||
			slices.Contains([]string{"TAPROOT_SERVICE_SECRET", "TAPROOT_NATS_ACCOUNT", "TAPROOT_HOST_TOKEN",
				"TAPROOT_DATABASE_URL", "TAPROOT_SMTP_URL", "TAPROOT_WEBHOOK_SECRET", "TAPROOT_OIDC_CLIENT_SECRET",
				"AWS_SECRET_ACCESS_KEY"}, name):
			return nil, &plan.Usage{Msg: fmt.Sprintf("--expose-env: %s is a credential of the server, which clients may not use",
				name)}
		case !ok:
			return nil, &plan.Usage{Msg: fmt.Sprintf("--expose-env: %s is not set", name)}
		}
		list[name] = value
	}
	return list, nil
}
