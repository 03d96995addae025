package ops

import (
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/server/auth"
	"github.com/taproot-dev/taproot/server/oidc"
)

// origins returns the origins of CORS_ORIGINS and of the server's own URLs.
func origins(s process.Settings) ([]string, error) {
	// the last two: the desktop viewer
	list := []string{"http://localhost:3210", "http://127.0.0.1:3210", "tauri://localhost", "http://tauri.localhost"}
	for _, name := range []string{"TAPROOT_PUBLIC_URL", "TAPROOT_CONSOLE_URL", "CORS_ORIGINS"} {
		for _, text := range s.List(name) {
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
func exposed(s process.Settings, names []string) (map[string]string, error) {
	list := map[string]string{}
	for _, name := range names {
		name = strings.TrimSpace(name)
		value, ok := s.Lookup(name)
		switch {
		case name == "":
			continue
		case !environmentName.MatchString(name):
			return nil, &plan.Usage{Msg: fmt.Sprintf("--expose-env: %q cannot be the name of a variable", name)}
		case strings.HasPrefix(name, "TAPROOT_JWT") || name == "TAPROOT_API_KEYS" ||
			slices.Contains([]string{"TAPROOT_SERVICE_SECRET", "TAPROOT_NATS_ACCOUNT", "TAPROOT_HOST_TOKEN",
				"TAPROOT_DATABASE_URL", "TAPROOT_SMTP_URL", "TAPROOT_WEBHOOK_SECRET", "TAPROOT_OIDC_CLIENT_SECRET",
				"AWS_SECRET_ACCESS_KEY"}, name):
			return nil, &plan.Usage{
				Msg: fmt.Sprintf("--expose-env: %s is a credential of the server, which clients may not use",
					name),
			}
		case !ok:
			return nil, &plan.Usage{Msg: fmt.Sprintf("--expose-env: %s is not set", name)}
		}
		list[name] = value
	}
	return list, nil
}

// provider returns the provider of TAPROOT_OIDC_ISSUER; nil: none.
func provider(s process.Settings, public string) (*oidc.Provider, error) {
	issuer := s.Get("TAPROOT_OIDC_ISSUER")
	if issuer == "" {
		return nil, nil
	}
	p, err := oidc.New(oidc.Options{Issuer: issuer, ClientID: s.Get("TAPROOT_OIDC_CLIENT_ID"),
		Secret: s.Get("TAPROOT_OIDC_CLIENT_SECRET"), Name: s.Get("TAPROOT_OIDC_NAME"), Redirect: public +
			"/console/provider/back"})
	if err != nil {
		return nil, &plan.Usage{Msg: "TAPROOT_OIDC_ISSUER, TAPROOT_OIDC_CLIENT_ID, TAPROOT_OIDC_CLIENT_SECRET: " +
			err.Error()}
	}
	return p, nil
}

// gate creates the check of credentials; nil when authentication is off.
func gate(s process.Settings, dir string) (*auth.Gate, error) {
	on, err := s.Boolean("TAPROOT_AUTH_ENABLED")
	if err != nil || !on {
		return nil, err
	}
	c := auth.Config{Keys: s.List("TAPROOT_API_KEYS"), Secret: []byte(s.Get("TAPROOT_JWT_SECRET")),
		Issuer: s.Get("TAPROOT_JWT_ISSUER"), Audience: s.Get("TAPROOT_JWT_AUDIENCE")}
	if file := s.Get("TAPROOT_JWT_PUBLIC_KEY_FILE"); file != "" {
		if c.PublicKey, err = os.ReadFile(process.Within(dir, file)); err != nil {
			return nil, &plan.Usage{Msg: "TAPROOT_JWT_PUBLIC_KEY_FILE: " + err.Error()}
		}
	}
	gate, err := auth.New(c)
	if err != nil {
		return nil, &plan.Usage{Msg: err.Error()}
	}
	return gate, nil
}

// proxies parses addresses and networks.
func proxies(s process.Settings) (list []netip.Prefix, err error) {
	for _, text := range s.List("TAPROOT_TRUSTED_PROXIES") {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			addr, bad := netip.ParseAddr(text)
			if bad != nil {
				return nil, &plan.Usage{
					Msg: fmt.Sprintf("TAPROOT_TRUSTED_PROXIES: %q is neither an address nor a network", text),
				}
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		list = append(list, prefix)
	}
	return list, nil
}
