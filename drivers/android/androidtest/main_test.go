package androidtest

import (
	"testing"

	"github.com/taproot-dev/taproot/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }
