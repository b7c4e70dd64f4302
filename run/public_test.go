package run

import (
	"errors"
	"slices"
	"testing"

	"github.com/pageside/pageside/run/meter"
	"github.com/pageside/pageside/run/refusal"
)

// TestEveryCodeOfTheServerIsReserved: a model cannot say what a refused request says.
func TestEveryCodeOfTheServerIsReserved(t *testing.T) {
	for _, err := range []error{refusal.ErrDraining, conflict("r"), noThread("t"), noRun("r"), cancelledEarly("r"), meter.TooMany(meter.ThreadLine, "x"), unavailable("x", errors.New("y"))} {
		e, ok := errors.AsType[*refusal.Error](err)
		if !ok || !slices.Contains(reservedCodes, e.Code) {
			t.Errorf("%v is not reserved", err)
		}
	}
	if !slices.Contains(reservedCodes, refusal.Budget) {
		t.Error("budget_exceeded is not reserved")
	}
}
