package sqlstore_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

// written is how many threads the databases of these tests hold, a transaction each.
const written = 20

// torn is what the log says where the last transaction is not whole.
const torn = "the end of the write-ahead log is damaged"

// killedWith20 returns the files of a database as a killed process leaves them: all of it is in the
// log.
func killedWith20(t *testing.T) (db, wal []byte) {
	t.Helper()
	path := newPath(t)
	s := open(t, path)
	for i := range written {
		if err := s.BeginRun(t.Context(), me, store.Run{ID: fmt.Sprint("r", i), ThreadID: fmt.Sprint("t", i)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	db, err := os.ReadFile(path)
	wal, walErr := os.ReadFile(path + "-wal")
	if err := errors.Join(err, walErr); err != nil {
		t.Fatal(err)
	}
	return db, wal
}

// put writes a database and its log to a new folder.
func put(t *testing.T, db, wal []byte) string {
	t.Helper()
	path := newPath(t)
	if err := errors.Join(os.WriteFile(path, db, 0o600), os.WriteFile(path+"-wal", wal, 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// frameStarts returns where the frames of a log begin, and where those that end a transaction do.
func frameStarts(wal []byte) (all, ends []int) {
	size := 24 + int(binary.BigEndian.Uint32(wal[8:]))
	for at := 32; at+size <= len(wal); at += size {
		all = append(all, at)
		if binary.BigEndian.Uint32(wal[at+4:]) != 0 {
			ends = append(ends, at)
		}
	}
	return all, ends
}

// noise is what damage writes, the same each time.
func noise(seed uint64, n int) []byte {
	random := rand.New(rand.NewPCG(seed, 0))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

// recovered opens a database with WithRecovery.
func recovered(t *testing.T, path string) (threads int, logged string, err error) {
	t.Helper()
	var log bytes.Buffer
	s, err := sqlstore.Open(t.Context(), path, sqlstore.WithRecovery(), sqlstore.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	if err != nil {
		return 0, log.String(), err
	}
	list, err := s.Threads(t.Context(), me, store.ThreadQuery{Limit: 100})
	return len(list.Items), log.String(), errors.Join(err, s.Close())
}

// isRefused checks that an error names the log and what to do.
func isRefused(err error) bool {
	return err != nil && strings.Contains(err.Error(), "test.db-wal: the write-ahead log is") && strings.Contains(err.Error(), "--recover")
}

// TestDamagedLogIsRefused: damage that hides more than a torn transaction keeps the store from
// starting, whatever it hits, and however often that is tried. With WithRecovery it begins with
// what is before, and the files are kept as they were.
func TestDamagedLogIsRefused(t *testing.T) {
	db, whole := killedWith20(t)
	frames, ends := frameStarts(whole)
	middle, last := ends[len(ends)/2], ends[len(ends)-1]
	for what, tt := range map[string]struct {
		spoil func(wal []byte)
		left  [2]int // threads, at least and at most
	}{
		"3,000 bytes near its start":        {func(wal []byte) { copy(wal[8000:], noise(1, 3000)) }, [2]int{0, 0}},
		"a frame's header in the middle":    {func(wal []byte) { copy(wal[middle:], noise(2, 24)) }, [2]int{5, 12}},
		"only its salt":                     {func(wal []byte) { wal[middle+9] ^= 4 }, [2]int{5, 12}},
		"the salts of all from there on":    {func(wal []byte) { spoilSalts(wal, frames, middle) }, [2]int{5, 12}},
		"a page in the middle":              {func(wal []byte) { copy(wal[middle+100:], noise(3, 1000)) }, [2]int{5, 12}},
		"the last two transactions":         {func(wal []byte) { copy(wal[ends[len(ends)-3]+4000:], noise(4, len(wal))) }, [2]int{17, 17}},
		"all but the first transactions":    {func(wal []byte) { copy(wal[ends[3]+4000:], noise(5, len(wal))) }, [2]int{0, 3}},
		"its header, cleared":               {func(wal []byte) { clear(wal[:32]) }, [2]int{0, 0}},
		"its header, and all but the end":   {func(wal []byte) { clear(wal[:last]) }, [2]int{0, 0}},
		"the headers of the last two alone": {func(wal []byte) { copy(wal[last:], noise(6, 24)); copy(wal[ends[len(ends)-2]:], noise(7, 24)) }, [2]int{18, 18}},
	} {
		t.Run(what, func(t *testing.T) {
			wal := bytes.Clone(whole)
			tt.spoil(wal)
			path := put(t, db, wal)
			for range 2 {
				if n, _, err := openLogged(t, path); !isRefused(err) {
					t.Fatalf("%d threads, %v", n, err)
				}
			}
			n, log, err := recovered(t, path)
			if err != nil || n < tt.left[0] || n > tt.left[1] {
				t.Errorf("%d threads are recovered, %v, want %v", n, err, tt.left)
			}
			for _, want := range []string{"test.db.damaged-wal", "test.db.damaged ", "missing frames", "missing transactions", "missing bytes"} {
				if !strings.Contains(strings.NewReplacer("]", " ", `"`, "").Replace(log), want) {
					t.Errorf("the log does not say %q: %s", want, log)
				}
			}
			keptDB, err := os.ReadFile(path + ".damaged")
			keptWAL, walErr := os.ReadFile(path + ".damaged-wal")
			if err != nil || walErr != nil || !bytes.Equal(keptDB, db) || !bytes.Equal(keptWAL, wal) {
				t.Errorf("what is kept is not what was there: %v, %v", err, walErr)
			}
			if again, log, err := openLogged(t, path); again != n || err != nil || strings.Contains(log, "damage") {
				t.Errorf("then %d threads, %v, log %s", again, err, log)
			}
		})
	}
}

func spoilSalts(wal []byte, frames []int, from int) {
	for _, at := range frames {
		if at >= from {
			copy(wal[at+8:], noise(uint64(at), 8))
		}
	}
}

// TestTornTransactionStarts: what a power cut leaves is no reason not to start.
func TestTornTransactionStarts(t *testing.T) {
	db, whole := killedWith20(t)
	_, ends := frameStarts(whole)
	last := ends[len(ends)-1]
	for what, spoil := range map[string]func(wal []byte){
		"its last header":       func(wal []byte) { copy(wal[last:], noise(1, 24)) },
		"the salt of it":        func(wal []byte) { wal[last+9] ^= 4 },
		"the end of its page":   func(wal []byte) { clear(wal[len(wal)-100:]) },
		"a sector of its pages": func(wal []byte) { clear(wal[last-512 : last]) },
	} {
		wal := bytes.Clone(whole)
		spoil(wal)
		path := put(t, db, wal)
		if n, log, err := recovered(t, path); n != written-1 || err != nil || !strings.Contains(log, torn) || !strings.Contains(log, "nothing to recover") {
			t.Errorf("%s: with WithRecovery %d threads, %v, log %s", what, n, err, log)
		}
		if kept, _ := filepath.Glob(path + ".damaged*"); len(kept) > 0 {
			t.Errorf("%s: without damage %v is kept", what, kept)
		}
		path = put(t, db, wal)
		if n, log, err := openLogged(t, path); n != written-1 || err != nil || !strings.Contains(log, torn) {
			t.Errorf("%s: %d threads, %v, log %s", what, n, err, log)
		}
	}
}

// TestTwoPowerCuts: a transaction that was torn is nowhere when the next one is.
func TestTwoPowerCuts(t *testing.T) {
	db, wal := killedWith20(t)
	_, ends := frameStarts(wal)
	wal[ends[len(ends)-2]+5000] ^= 1 // the last but one: it was longer than the next will be
	asEarlier(wal, 1+(ends[len(ends)-2]-32)/(24+8192))
	path := put(t, db, wal)
	s := open(t, path)
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() > 0 {
		t.Errorf("after the start the log is %v, %v: it is in the database", info.Size(), err)
	}
	if list, err := s.Threads(t.Context(), me, store.ThreadQuery{}); err != nil || len(list.Items) != written-2 {
		t.Errorf("%d threads, %v", len(list.Items), err)
	}
}

// TestEarlierCycle: frames that remain behind the log's end are no damage, and nothing is said.
func TestEarlierCycle(t *testing.T) {
	path := newPath(t)
	s := open(t, path, sqlstore.WithCheckpoint(40))
	size := func() int64 { return walSize(t, path) }
	n := 0
	for grown := int64(0); ; n++ { // until a new cycle has begun: the log no longer grows
		if err := s.BeginRun(t.Context(), me, store.Run{ID: fmt.Sprint("r", n), ThreadID: fmt.Sprint("t", n)}, nil); err != nil {
			t.Fatal(err)
		}
		if size() == grown {
			break
		}
		grown = size()
	}
	db, err := os.ReadFile(path)
	wal, walErr := os.ReadFile(path + "-wal")
	if err := errors.Join(err, walErr); err != nil {
		t.Fatal(err)
	}
	if all, _ := frameStarts(wal); bytes.Equal(wal[16:24], wal[all[len(all)-1]+8:all[len(all)-1]+16]) {
		t.Fatal("the log has no frames of an earlier cycle")
	}
	if found, log, err := openLogged(t, put(t, db, wal)); found != n+1 || err != nil || strings.Contains(log, "damage") {
		t.Errorf("%d threads of %d, %v, log %s", found, n+1, err, log)
	}
	if found, log, err := recovered(t, put(t, db, wal)); found != n+1 || err != nil || !strings.Contains(log, "nothing to recover") {
		t.Errorf("with WithRecovery %d threads of %d, %v, log %s", found, n+1, err, log)
	}
}

// TestFlippedBytes flips bytes of a log, one or a stretch, at seeded positions. All threads are
// there, or the store does not start, or only the last transaction is missing and the log says so.
func TestFlippedBytes(t *testing.T) {
	db, whole := killedWith20(t)
	random := rand.New(rand.NewPCG(20, 7))
	frames, _ := frameStarts(whole)
	refused, complete, shorter := 0, 0, 0
	for round := range 150 {
		wal := bytes.Clone(whole)
		at, n := random.IntN(len(wal)), 1
		switch round % 3 {
		case 0: // headers are few, and matter most
			at = frames[random.IntN(len(frames))] + random.IntN(24)
		case 1:
			n = 1 + random.IntN(40_000)
		}
		for i := at; i < min(at+n, len(wal)); i++ {
			wal[i] ^= byte(1 + random.IntN(255))
		}
		got, log, err := openLogged(t, put(t, db, wal))
		switch {
		case isRefused(err):
			refused++
		case err == nil && got == written:
			complete++
		case err == nil && got == written-1 && strings.Contains(log, torn):
			shorter++
		default:
			t.Errorf("round %d, %d bytes at %d of %d: %d threads, %v, log %s", round, n, at, len(wal), got, err, log)
		}
	}
	t.Logf("%d refused, %d complete, %d without the last transaction", refused, complete, shorter)
	if refused < 50 || shorter == 0 {
		t.Errorf("%d were refused, %d lost their last transaction: the test shows nothing", refused, shorter)
	}
}
