// Package leaktest fails a package's tests if they leave goroutines behind.
//
//	func TestMain(m *testing.M) { leaktest.Main(m) }
//
// It is goleak with a longer wait: on a busy machine, goroutines that are ending may need more than
// goleak's half second.
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

// left returns nil as soon as no goroutines are left, or, after the given time, an error that names
// the remaining ones.
func left(patience time.Duration) error {
	for begun := time.Now(); ; {
		err := goleak.Find()
		if err == nil || time.Since(begun) > patience {
			return err
		}
	}
}
