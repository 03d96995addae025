package visit

import (
	"math"
	"reflect"
	"testing"

	"github.com/taproot-dev/taproot/internal/source"
)

// TestScriptValuesKeepWholeNumbers decodes what pages answer: BigInts come with all of their digits.
func TestScriptValuesKeepWholeNumbers(t *testing.T) {
	got, err := scriptValue(`[5, 1.5, 1234567890123456789, 89490200001234567890, 1e+21]`)
	want := []any{5, 1.5, 1234567890123456789, source.NumberOf("89490200001234567890"), 1e21}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%#v, %v", got, err)
	}
	if v, err := scriptValue("1e999"); err != nil || v != math.Inf(1) {
		t.Errorf("%v, %v", v, err)
	}
}
