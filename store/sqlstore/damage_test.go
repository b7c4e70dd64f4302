package sqlstore_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/logged"
	"github.com/pageside/pageside/test/must"
)

const (
	// written is how many threads the databases of these tests hold, a transaction each.
	written = 20
	// torn is what the log says where the last transaction is not whole.
	torn = "the end of the write-ahead log is damaged"
	// spoilt is what the store says of a damaged database.
	spoilt = "the database is damaged: stop the server and restore a backup: "
	// page is the size of a database's pages.
	page = 8192
)

// spoil overwrites the first page of a table of a database that nobody has open.
func spoil(t *testing.T, path, table string) {
	t.Helper()
	root := read[int](t, path, "SELECT rootpage FROM sqlite_master WHERE name = '"+table+"'")
	alter(t, path, func(raw []byte) { copy(raw[(root-1)*page:], bytes.Repeat([]byte{0xff}, page)) })
}

// killed returns the files of a database as a killed process leaves them: all of the n threads are
// in the log.
func killed(t *testing.T, n int) (db, wal []byte) {
	t.Helper()
	path := newPath(t)
	beginMany(t, open(t, path), "r", n)
	return get(os.ReadFile(path)), get(os.ReadFile(path + "-wal"))
}

// put writes a database and its log to a new folder.
func put(t *testing.T, db, wal []byte) string {
	t.Helper()
	path := newPath(t)
	must.Do(t, os.WriteFile(path, db, 0o600), os.WriteFile(path+"-wal", wal, 0o600))
	return path
}

// spoiltLog puts a database whose log has been changed.
func spoiltLog(t *testing.T, db, wal []byte, by func(wal []byte)) string {
	t.Helper()
	path := put(t, db, wal)
	alter(t, path+"-wal", by)
	return path
}

// openLogged opens a database, counts its threads and returns what was logged.
func openLogged(t *testing.T, path string, options ...sqlstore.Option) (threads int, log string, err error) {
	t.Helper()
	var logs logged.Text
	s, err := sqlstore.Open(t.Context(), path, append(options, sqlstore.WithLogger(logs.Logger()))...)
	if err != nil {
		return 0, logs.String(), err
	}
	list, err := s.Threads(t.Context(), me, store.ThreadQuery{Limit: 100})
	return len(list.Items), logs.String(), errors.Join(err, s.Close())
}

// wantOpens checks that a database opens with so many threads, and what the log says.
func wantOpens(t *testing.T, path string, threads int, says string, options ...sqlstore.Option) {
	t.Helper()
	n, logged, err := openLogged(t, path, options...)
	if n != threads || err != nil || !strings.Contains(logged, says) {
		t.Errorf("%d threads, %v, want %d; the log says %s, want %q", n, err, threads, logged, says)
	}
}

// wantSound checks that a database opens with so many threads, again and again, and that nothing
// is said of damage.
func wantSound(t *testing.T, path string, threads int) {
	t.Helper()
	for range 2 {
		if n, logged, err := openLogged(t, path); n != threads || err != nil || strings.Contains(logged, "damage") {
			t.Errorf("%d threads, %v, want %d; log %s", n, err, threads, logged)
		}
	}
}

// wantRefused checks that a database does not open, however often that is tried, with an error that
// names the log, what is wrong with it and what to do.
func wantRefused(t *testing.T, path, says string) {
	t.Helper()
	for range 2 {
		n, _, err := openLogged(t, path)
		if wantErr(t, "open", err, "test.db-wal: the write-ahead log is "+says, "--recover"); err == nil {
			t.Fatalf("it has %d threads", n)
		}
	}
}

// frameStarts returns where the frames of a log begin, and where those that end a transaction do.
func frameStarts(wal []byte) (all, ends []int) {
	for at := 32; at+24+page <= len(wal); at += 24 + page {
		all = append(all, at)
		if binary.BigEndian.Uint32(wal[at+4:]) != 0 {
			ends = append(ends, at)
		}
	}
	return all, ends
}

// asEarlier makes the frames of a log from a position on look like those of an earlier cycle.
func asEarlier(wal []byte, from int) {
	for at := from; at+24+page <= len(wal); at += 24 + page {
		wal[at+11]--                      // the salt, which counts the cycles
		copy(wal[at+12:], "saltsumssums") // and what is drawn for each, and follows from it
	}
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

// TestDamaged: from the first statement on that meets a damaged page the store says that it is not
// well, though the one page that Ping writes to is.
func TestDamaged(t *testing.T) {
	for what, tt := range map[string]struct {
		table string
		use   func(*sqlstore.Store) error
	}{
		"write":  {"threads", func(s *sqlstore.Store) error { return begun(s, "r2", "t2") }},
		"append": {"event_log", func(s *sqlstore.Store) error { return appended(s, event("r", 1)) }},
		"read": {"runs", func(s *sqlstore.Store) error {
			_, err := s.LiveRuns(t.Context())
			return err
		}},
	} {
		t.Run(what, func(t *testing.T) {
			path := newPath(t)
			s := open(t, path)
			begin(t, s, "r", "t")
			must.Do(t, s.Close())
			spoil(t, path, tt.table)
			s = open(t, path)
			must.Do(t, s.Ping(t.Context())) // before anything was read
			err := tt.use(s)
			wantErr(t, what, err, spoilt)
			must.Be(t, strings.Count(fmt.Sprint(err), spoilt), 1, "how often it says so")
			for range 2 {
				wantErr(t, "ping", s.Ping(t.Context()), spoilt, "malformed")
			}
		})
	}
}

// TestSoundAfterErrors: what else goes wrong is no damage.
func TestSoundAfterErrors(t *testing.T) {
	s := open(t, newPath(t))
	must.FailWith(t, appended(s, event("none", 1)), store.ErrNotFound, "append")
	_, err := s.Run(t.Context(), me, "none")
	must.FailWith(t, err, store.ErrNotFound, "read")
	must.Do(t, s.Ping(t.Context()))
}

// TestAfterAKill: what a killed process has left is checked, and the log says so. A log that SQLite
// would drop without a word is an error.
func TestAfterAKill(t *testing.T) {
	db, whole := killed(t, 2)
	wantOpens(t, put(t, db, whole), 2, "is sound")
	for name, by := range map[string]func(wal []byte){
		"the header":      func(wal []byte) { wal[17] ^= 1 },
		"its magic":       func(wal []byte) { copy(wal, "none") },
		"the first frame": func(wal []byte) { wal[32+24+100] ^= 1 },
		"all of it":       func(wal []byte) { copy(wal, bytes.Repeat([]byte{0xa5}, len(wal))) },
	} {
		t.Run(name, func(t *testing.T) { wantRefused(t, spoiltLog(t, db, whole, by), "damaged") })
	}
	db, whole = killed(t, 1)
	for name, tt := range map[string]struct {
		by   func(wal []byte)
		says string
	}{
		"nothing was written": {func(wal []byte) { clear(wal) }, ""},
		"the only transaction is torn": {func(wal []byte) {
			wal[32+24+100] ^= 1
			asEarlier(wal, 32+24+page)
		}, ""},
		"the last frame is torn": {func(wal []byte) { clear(wal[len(wal)-100:]) }, torn},
	} {
		t.Run(name, func(t *testing.T) { wantOpens(t, spoiltLog(t, db, whole, tt.by), 0, tt.says) })
	}
}

// TestDamagedAfterAKill: damage in the file is found before anything is served.
func TestDamagedAfterAKill(t *testing.T) {
	db, wal := killed(t, 1)
	path := put(t, db, wal)
	wantOpens(t, path, 1, "") // folds the log
	spoil(t, path, "runs")
	// its header says that nobody closed the database
	must.Do(t, os.WriteFile(path+"-wal", wal[:32], 0o600))
	_, _, err := openLogged(t, path)
	wantErr(t, "open", err, strings.TrimSuffix(spoilt, ": "))
}

// TestDamagedLogIsRefused: damage that hides more than a torn transaction keeps the store from
// starting, whatever it hits, and however often that is tried. With WithRecovery it begins with
// what is before, and the files are kept as they were.
func TestDamagedLogIsRefused(t *testing.T) {
	db, whole := killed(t, written)
	frames, ends := frameStarts(whole)
	middle, last, before := ends[len(ends)/2], ends[len(ends)-1], ends[len(ends)-3]
	for what, tt := range map[string]struct {
		from, to int // threads that are left, at least and at most
		spoil    func(wal []byte)
	}{
		"3,000 bytes near its start":      {0, 0, func(wal []byte) { copy(wal[8000:], noise(1, 3000)) }},
		"a frame's header in the middle":  {5, 12, func(wal []byte) { copy(wal[middle:], noise(2, 24)) }},
		"only its salt":                   {5, 12, func(wal []byte) { wal[middle+9] ^= 4 }},
		"the salts of all from there on":  {5, 12, func(wal []byte) { spoilSalts(wal, frames, middle) }},
		"a page in the middle":            {5, 12, func(wal []byte) { copy(wal[middle+100:], noise(3, 1000)) }},
		"the last two transactions":       {17, 17, func(wal []byte) { copy(wal[before+4000:], noise(4, len(wal))) }},
		"all but the first transactions":  {0, 3, func(wal []byte) { copy(wal[ends[3]+4000:], noise(5, len(wal))) }},
		"its header, cleared":             {0, 0, func(wal []byte) { clear(wal[:32]) }},
		"its header, and all but the end": {0, 0, func(wal []byte) { clear(wal[:last]) }},
		"the headers of the last two alone": {18, 18, func(wal []byte) {
			copy(wal[last:], noise(6, 24))
			copy(wal[ends[len(ends)-2]:], noise(7, 24))
		}},
	} {
		t.Run(what, func(t *testing.T) {
			path := spoiltLog(t, db, whole, tt.spoil)
			wal := get(os.ReadFile(path + "-wal"))
			wantRefused(t, path, "")
			n, logged, err := openLogged(t, path, sqlstore.WithRecovery())
			if err != nil || n < tt.from || n > tt.to {
				t.Errorf("%d threads are recovered, %v, want %d to %d", n, err, tt.from, tt.to)
			}
			logged = strings.NewReplacer("]", " ", `"`, "").Replace(logged)
			for _, want := range []string{
				"test.db.damaged-wal", "test.db.damaged ", "missing frames", "missing transactions", "missing bytes",
			} {
				must.Have(t, logged, want, "the log")
			}
			for name, content := range map[string][]byte{".damaged": db, ".damaged-wal": wal} {
				must.Be(t, bytes.Equal(get(os.ReadFile(path+name)), content), true, "whether %s is what was there", name)
			}
			wantSound(t, path, n)
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
	db, whole := killed(t, written)
	_, ends := frameStarts(whole)
	last := ends[len(ends)-1]
	for what, spoil := range map[string]func(wal []byte){
		"its last header":       func(wal []byte) { copy(wal[last:], noise(1, 24)) },
		"the salt of it":        func(wal []byte) { wal[last+9] ^= 4 },
		"the end of its page":   func(wal []byte) { clear(wal[len(wal)-100:]) },
		"a sector of its pages": func(wal []byte) { clear(wal[last-512 : last]) },
	} {
		t.Run(what, func(t *testing.T) {
			wantOpens(t, spoiltLog(t, db, whole, spoil), written-1, torn)
			path := spoiltLog(t, db, whole, spoil)
			n, logged, err := openLogged(t, path, sqlstore.WithRecovery())
			if n != written-1 || err != nil || !strings.Contains(logged, torn) ||
				!strings.Contains(logged, "nothing to recover") {
				t.Errorf("with WithRecovery %d threads, %v, log %s", n, err, logged)
			}
			must.Be(t, len(get(filepath.Glob(path+".damaged*"))), 0, "files that are kept without damage")
		})
	}
}

// TestTwoPowerCuts: a transaction that was torn is nowhere when the next one is.
func TestTwoPowerCuts(t *testing.T) {
	db, wal := killed(t, written)
	_, ends := frameStarts(wal)
	torn := ends[len(ends)-2] // the last but one: it was longer than the next will be
	wal[torn+5000] ^= 1
	asEarlier(wal, torn+24+page)
	path := put(t, db, wal)
	s := open(t, path)
	must.Be(t, get(os.Stat(path+"-wal")).Size(), 0, "bytes of the log after the start: it is in the database")
	must.Be(t, len(get(s.Threads(t.Context(), me, store.ThreadQuery{})).Items), written-2, "threads")
}

// TestEarlierCycle: frames that remain behind the log's end are no damage, and nothing is said.
func TestEarlierCycle(t *testing.T) {
	path := newPath(t)
	s := open(t, path, sqlstore.WithCheckpoint(40))
	n := 0
	for grown := int64(0); ; { // until a new cycle has begun: the log no longer grows
		beginMany(t, s, strings.Repeat("r", n+1), 1)
		n++
		size := get(os.Stat(path + "-wal")).Size()
		if size == grown {
			break
		}
		grown = size
	}
	db, wal := get(os.ReadFile(path)), get(os.ReadFile(path+"-wal"))
	if all, _ := frameStarts(wal); bytes.Equal(wal[16:24], wal[all[len(all)-1]+8:all[len(all)-1]+16]) {
		t.Fatal("the log has no frames of an earlier cycle")
	}
	wantSound(t, put(t, db, wal), n)
	wantOpens(t, put(t, db, wal), n, "nothing to recover", sqlstore.WithRecovery())
}

// TestFlippedBytes flips bytes of a log, one or a stretch, at seeded positions. All threads are
// there, or the store does not start, or only the last transaction is missing and the log says so.
func TestFlippedBytes(t *testing.T) {
	db, whole := killed(t, written)
	random := rand.New(rand.NewPCG(20, 7))
	frames, _ := frameStarts(whole)
	refused, complete, shorter := 0, 0, 0
	for round := range 150 {
		at, n := random.IntN(len(whole)), 1
		switch round % 3 {
		case 0: // headers are few, and matter most
			at = frames[random.IntN(len(frames))] + random.IntN(24)
		case 1:
			n = 1 + random.IntN(40_000)
		}
		path := spoiltLog(t, db, whole, func(wal []byte) {
			for i := at; i < min(at+n, len(wal)); i++ {
				wal[i] ^= byte(1 + random.IntN(255))
			}
		})
		got, logged, err := openLogged(t, path)
		switch {
		case err != nil:
			refused++
			wantErr(t, "open", err, "test.db-wal: the write-ahead log is", "--recover")
		case got == written:
			complete++
		case got == written-1 && strings.Contains(logged, torn):
			shorter++
		default:
			t.Errorf("round %d, %d bytes at %d of %d: %d threads, log %s", round, n, at, len(whole), got, logged)
		}
	}
	t.Logf("%d refused, %d complete, %d without the last transaction", refused, complete, shorter)
	if refused < 50 || shorter == 0 {
		t.Errorf("%d were refused, %d lost their last transaction: the test shows nothing", refused, shorter)
	}
}
