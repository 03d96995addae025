package history

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/joho/godotenv"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/markdown"
)

const (
	defaultDays = 30
	defaultRuns = 100
	maxLimit    = 100_000
	envFile     = ".env"
	maxEnvFile  = 1 << 20
)

// LimitsFromEnv reads REPORT_MAX_DAYS (default 30) and REPORT_MAX_RUNS (default 100) from the environment, otherwise
// from the file .env in projectRoot. A value that is not a whole number from 1 on is an error, after which the caller
// must delete nothing.
func LimitsFromEnv(getenv func(string) string, projectRoot string) (Limits, error) {
	file, err := readEnvFile(projectRoot)
	if err != nil {
		return Limits{}, err
	}
	l := Limits{Days: defaultDays, Runs: defaultRuns}
	for _, v := range []struct {
		name string
		to   *int
	}{{"REPORT_MAX_DAYS", &l.Days}, {"REPORT_MAX_RUNS", &l.Runs}} {
		value, from := getenv(v.name), ""
		if value == "" {
			value, from = file[v.name], " in "+envFile
		}
		if value == "" {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || n < 1 || n > maxLimit {
			return Limits{}, fmt.Errorf("%s=%s%s: use a whole number from 1 to %d; no report is deleted until then",
				v.name, strconv.Quote(markdown.Printable(value, 40)), from, maxLimit)
		}
		*v.to = n
	}
	return l, nil
}

// readEnvFile returns the variables of .env; without that file, none. Errors never quote the file: it contains secrets.
func readEnvFile(dir string) (map[string]string, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", envFile, err)
	}
	defer root.Close() // nothing was written
	data, err := filetree.ReadCapped(root, envFile, maxEnvFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", envFile, err)
	}
	values, err := godotenv.UnmarshalBytes(data)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be parsed: write NAME=VALUE lines; no report is deleted until then", envFile)
	}
	return values, nil
}
