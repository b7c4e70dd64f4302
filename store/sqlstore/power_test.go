//go:build unix

package sqlstore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/chance"
	"github.com/pageside/pageside/test/must"
)

// cutsEnv says how many power cuts to simulate.
const cutsEnv = "PAGESIDE_TEST_CUTS"

// TestPowerCut records what a store writes to its files while runs go on, and then makes, again and
// again, the disk as a power cut at a random moment may leave it. On each, everything that had been
// acknowledged must be there, nothing twice, nothing that was never written.
//
// It proves what holds where the disk keeps its word about what it was told to write for good, and
// tears writes at sectors of 512 bytes. Disks that lie are beyond any database.
func TestPowerCut(t *testing.T) {
	cuts := 20
	if n, err := strconv.Atoi(os.Getenv(cutsEnv)); err == nil {
		cuts = n
	}
	r, lasting := recordRuns(t, "FULL")
	rnd := chance.Rand()
	t.Logf("%d cuts of a recording of %d file operations, %d acknowledged writes", cuts, len(r.ops), lasting)
	for n := range cuts {
		lost, err := powerCut(t, r, rnd)
		if err != nil {
			t.Fatalf("cut %d of seed %d: the store cannot be opened: %v", n, chance.Seed, err)
		}
		if len(lost) > 0 {
			t.Fatalf("cut %d of seed %d lost %d acknowledged writes: %v", n, chance.Seed, len(lost), lost[0])
		}
	}
}

// TestPowerCutLosesWithoutSync is the control: a store that does not wait for the disk must be seen
// to lose something, or to say at its start that it has, or the test above would show nothing.
func TestPowerCutLosesWithoutSync(t *testing.T) {
	inLong(t)
	r, _ := recordRuns(t, "NORMAL")
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := range 100 {
		lost, err := powerCut(t, r, rnd)
		if len(lost) > 0 || err != nil {
			t.Logf("cut %d lost %d acknowledged writes: %v %v", n+1, len(lost), lost, err)
			return
		}
	}
	t.Error("100 power cuts lost nothing, although nothing had been waited for")
}

// recordRuns has eight goroutines carry out runs while everything written is recorded, and returns
// how many writes were acknowledged.
func recordRuns(t *testing.T, synchronous string) (*recorder, int) {
	t.Helper()
	r, vfs := record(t)
	s := open(t, newPath(t), sqlstore.WithFiles(vfs, synchronous), sqlstore.WithCheckpoint(40),
		sqlstore.WithLongHistory(4))
	report := func(what string, err error) error {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		} else {
			r.acknowledge(what)
		}
		return err
	}
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := range 12 {
				id := fmt.Sprintf("r%d-%d", w, i)
				_ = carryOut(s, id, fmt.Sprint("t", w), 1+len(id)%5, report)
				if i%5 == 4 {
					// none is so old: it only writes
					s.PurgeEvents(context.Background(), time.UnixMilli(0))
				}
			}
		})
	}
	all.Wait()
	r = r.frozen()
	n := 0
	for _, op := range r.ops {
		if op.kind == 'a' {
			n++
		}
	}
	if n < 1000 {
		t.Fatalf("only %d writes were acknowledged", n)
	}
	return r, n
}

// powerCut cuts the power once and returns what was lost of what had been acknowledged. Its error
// is the store's, where it refuses to open what is left.
func powerCut(t *testing.T, r *recorder, rnd *rand.Rand) ([]error, error) {
	t.Helper()
	d, acknowledged := r.cut(rnd.IntN(len(r.ops)), rnd)
	dir := t.TempDir()
	for name, content := range d {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	path := filepath.Join(dir, "test.db")
	s, err := sqlstore.Open(t.Context(), path)
	if err != nil {
		return nil, err
	}
	lost := checkAll(t, s, acknowledged)
	must.Do(t, s.Close())
	integrity(t, path)
	os.RemoveAll(dir)
	return lost, nil
}
