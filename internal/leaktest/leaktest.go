// Package leaktest has a package's tests fail when goroutines are left behind.
//
//	func TestMain(m *testing.M) { leaktest.Main(m) }
//
// It is goleak with patience: on a machine that is busy what was told to end may take more than the
// half second that goleak waits.
package leaktest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is how long goroutines may take to end after the last test.
const patience = time.Minute

// Main runs the tests and ends the process. If the tests passed and goroutines are left, it prints
// their stacks and fails.
func Main(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := left(patience); err != nil {
			fmt.Fprintf(os.Stderr, "the tests passed, and left goroutines behind:\n%v\n", err)
			code = 1
		}
	}
	os.Exit(code)
}

// left returns an error that names the goroutines which are there after so long; nil as soon as
// there are none.
func left(patience time.Duration) error {
	for begun := time.Now(); ; {
		err := goleak.Find()
		if err == nil || time.Since(begun) > patience {
			return err
		}
	}
}
