// Package chance is where the tests' random choices come from. They are the same in every run,
// unless PAGESIDE_SEED says otherwise: a number, or new for one that is drawn and printed.
//
//	dice := chance.Rand() // and importing the package seeds rapid.Check
//
// A test package that imports rapid imports chance too, which imports_test.go checks.
package chance

import (
	crand "crypto/rand"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"

	_ "pgregory.net/rapid" // registers the flag that is set here
)

// Variable is the environment variable that chooses the seed.
const Variable = "PAGESIDE_SEED"

// Seed is what all random choices of this process begin with; never 0, which rapid takes for "any".
var Seed = seed(os.Getenv(Variable))

func init() {
	if err := flag.Set("rapid.seed", strconv.FormatUint(Seed, 10)); err != nil {
		panic(fmt.Sprintf("seed rapid: %v", err))
	}
}

// Rand returns a source of random choices that begins with Seed. It is not safe for concurrent use.
func Rand() *rand.Rand { return rand.New(rand.NewPCG(Seed, 1)) }

func seed(wish string) uint64 {
	switch wish {
	case "":
		return 1
	case "new":
		drawn := draw()
		fmt.Fprintf(os.Stderr, "%s=%d\n", Variable, drawn)
		return drawn
	}
	n, err := strconv.ParseUint(wish, 10, 64)
	if err != nil || n == 0 {
		panic(fmt.Sprintf("%s=%q: it is a number from 1, or new", Variable, wish))
	}
	return n
}

func draw() uint64 {
	var b [4]byte
	_, _ = crand.Read(b[:]) // never fails
	return uint64(binary.LittleEndian.Uint32(b[:])) + 1
}
