package chance_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// drawsVariable tells the test's program to print what it draws.
const drawsVariable = "PAGESIDE_TEST_DRAWS"

// TestDraws prints what this process draws, by itself and with rapid.
func TestDraws(t *testing.T) {
	if os.Getenv(drawsVariable) == "" {
		return // TestSeeds asks for it
	}
	fmt.Println("draw", chance.Rand().Uint64())
	rapid.Check(t, func(t *rapid.T) { fmt.Println("draw", rapid.Uint64().Draw(t, "n")) })
}

func TestSeeds(t *testing.T) {
	draws := func(seed string) string {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDraws$")
		cmd.Env = append(os.Environ(), drawsVariable+"=1", chance.Variable+"="+seed)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("seed %q: %v: %s", seed, err, out)
		}
		return string(out)
	}
	fixed := draws("")
	if strings.Count(fixed, "draw ") != 101 {
		t.Fatalf("drawn is %s", fixed)
	}
	lines := func(out string) []string { return strings.Split(out, "\n")[:101] }
	if again, one := lines(draws("")), lines(draws("1")); !slices.Equal(lines(fixed), again) || !slices.Equal(again, one) {
		t.Error("without a seed, or with 1, two processes draw differently")
	}
	if other := lines(draws("2")); slices.Equal(other[:1], lines(fixed)[:1]) || slices.Equal(other[1:], lines(fixed)[1:]) {
		t.Error("another seed draws the same")
	}
	must.Have(t, draws("new"), chance.Variable+"=", "what a new seed is printed as")
	cmd := exec.Command(os.Args[0], "-test.run=^TestDraws$")
	cmd.Env = append(os.Environ(), chance.Variable+"=seven")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), `PAGESIDE_SEED="seven"`) {
		t.Errorf("what is no number gives %v: %s", err, out)
	}
}
