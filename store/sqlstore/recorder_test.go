//go:build unix

package sqlstore_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/pageside/pageside/test/must"
)

// recorder is SQLite's own way to the files, which writes down everything that is written to them
// and when SQLite has waited for it to be on the disk. From that a disk can be made as a power cut
// at any moment may leave it.
type recorder struct {
	mu    sync.Mutex
	ops   []diskOp
	files map[uintptr]recordedFile // the open ones, by the address of SQLite's object
}

// recordedFile is an open file.
type recordedFile struct {
	name string // the last part of its path
	real *sqlite3.Tsqlite3_io_methods
}

// diskOp is one thing that happened to a file.
type diskOp struct {
	// 'w'rite, 't'runcate, 's'ync, 'd'elete, 'D'elete that was waited for, or 'a'cknowledgement
	kind byte
	file string // its base name
	at   int64  // of a write; the size of a truncate
	data []byte
	ack  string
}

func (r *recorder) note(op diskOp) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ops = append(r.ops, op)
}

// frozen is the recording so far. The store writes on, in quiet moments.
func (r *recorder) frozen() *recorder {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &recorder{ops: slices.Clone(r.ops)}
}

// acknowledge notes that somebody was told that something is durable.
func (r *recorder) acknowledge(what string) { r.note(diskOp{kind: 'a', ack: what}) }

func (r *recorder) file(address uintptr) recordedFile {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.files[address]
}

// The functions that SQLite calls know no Go values, so there is one recorder at a time.
var (
	recording recorder
	realVFS   sqlite3.Tsqlite3_vfs
	// addresses of method tables, by those of the real ones, of which SQLite has several
	recordingIO = map[uintptr]uintptr{}
	registerVFS sync.Once
)

const recordingName = "pageside-recorder"

// record begins a new recording and returns the name under which SQLite knows it.
func record(t *testing.T) (*recorder, string) {
	t.Helper()
	registerVFS.Do(func() {
		tls := libc.NewTLS()
		defer tls.Close()
		realVFS = *at[sqlite3.Tsqlite3_vfs](sqlite3.Xsqlite3_vfs_find(tls, 0))
		name := must.Get(libc.CString(recordingName))(t)
		address := outside(tls, realVFS)
		recordingVFS := at[sqlite3.Tsqlite3_vfs](address)
		recordingVFS.FzName, recordingVFS.FpNext = name, 0
		recordingVFS.FxOpen, recordingVFS.FxDelete = pointer(recordOpen), pointer(recordDelete)
		if rc := sqlite3.Xsqlite3_vfs_register(tls, address, 0); rc != sqlite3.SQLITE_OK {
			t.Fatalf("register: %d", rc)
		}
	})
	recording.mu.Lock()
	defer recording.mu.Unlock()
	recording.ops, recording.files = nil, map[uintptr]recordedFile{}
	return &recording, recordingName
}

// at returns what stands at an address that SQLite has given.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// outside puts a value where Go's memory management has no say, and returns its address.
func outside[T any](tls *libc.TLS, v T) uintptr {
	address := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(v)))
	*at[T](address) = v
	return address
}

// function returns the function that SQLite means by an address.
func function[F any](address uintptr) F { return *(*F)(unsafe.Pointer(&address)) }

// pointer is the inverse of function.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

func recordOpen(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32 {
	open := function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](realVFS.FxOpen)
	rc := open(tls, vfs, name, file, flags, outFlags)
	if rc != sqlite3.SQLITE_OK || name == 0 || flags&(sqlite3.SQLITE_OPEN_MAIN_DB|sqlite3.SQLITE_OPEN_WAL) == 0 {
		return rc
	}
	recording.mu.Lock()
	defer recording.mu.Unlock()
	methods := &at[sqlite3.Tsqlite3_file](file).FpMethods
	recorded := recordingIO[*methods]
	if recorded == 0 {
		recorded = outside(tls, *at[sqlite3.Tsqlite3_io_methods](*methods))
		table := at[sqlite3.Tsqlite3_io_methods](recorded)
		table.FxWrite, table.FxTruncate = pointer(recordWrite), pointer(recordTruncate)
		table.FxSync, table.FxClose = pointer(recordSync), pointer(recordClose)
		recordingIO[*methods] = recorded
	}
	if recording.ops == nil { // a new database, which was on the disk before SQLite opened it
		path := libc.GoString(name)
		content, _ := os.ReadFile(path)
		recording.ops = []diskOp{{kind: 'w', file: filepath.Base(path), data: content}, {kind: 's', file: filepath.Base(path)}}
	}
	recording.files[file] = recordedFile{filepath.Base(libc.GoString(name)), at[sqlite3.Tsqlite3_io_methods](*methods)}
	*methods = recorded
	return rc
}

func recordDelete(tls *libc.TLS, vfs, name uintptr, dirSync int32) int32 {
	remove := function[func(*libc.TLS, uintptr, uintptr, int32) int32](realVFS.FxDelete)
	rc := remove(tls, vfs, name, dirSync)
	if rc == sqlite3.SQLITE_OK {
		kind := byte('d')
		if dirSync != 0 {
			kind = 'D'
		}
		recording.note(diskOp{kind: kind, file: filepath.Base(libc.GoString(name))})
	}
	return rc
}

func recordWrite(tls *libc.TLS, file, data uintptr, size int32, offset int64) int32 {
	f := recording.file(file)
	write := function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](f.real.FxWrite)
	rc := write(tls, file, data, size, offset)
	if rc == sqlite3.SQLITE_OK {
		written := append([]byte(nil), unsafe.Slice(at[byte](data), size)...)
		recording.note(diskOp{kind: 'w', file: f.name, at: offset, data: written})
	}
	return rc
}

func recordTruncate(tls *libc.TLS, file uintptr, size int64) int32 {
	f := recording.file(file)
	truncate := function[func(*libc.TLS, uintptr, int64) int32](f.real.FxTruncate)
	rc := truncate(tls, file, size)
	if rc == sqlite3.SQLITE_OK {
		recording.note(diskOp{kind: 't', file: f.name, at: size})
	}
	return rc
}

func recordSync(tls *libc.TLS, file uintptr, flags int32) int32 {
	f := recording.file(file)
	sync := function[func(*libc.TLS, uintptr, int32) int32](f.real.FxSync)
	rc := sync(tls, file, flags)
	if rc == sqlite3.SQLITE_OK {
		recording.note(diskOp{kind: 's', file: f.name})
	}
	return rc
}

func recordClose(tls *libc.TLS, file uintptr) int32 {
	f := recording.file(file)
	recording.mu.Lock()
	delete(recording.files, file)
	recording.mu.Unlock()
	return function[func(*libc.TLS, uintptr) int32](f.real.FxClose)(tls, file)
}

// disk is what a power cut may leave.
type disk map[string][]byte

// cut returns the disk as a power cut before the op with the given index may leave it, and what had
// been acknowledged before.
//
// What was written to a file before its last sync is there. Of what was written after it, every
// write, truncation and removal is there, or not, or, of a write, some of its sectors are.
func (r *recorder) cut(index int, rnd *rand.Rand) (disk, []string) {
	synced := map[string]int{} // by file, the index of its last sync
	for i, op := range r.ops[:index] {
		if op.kind == 's' || op.kind == 'D' {
			synced[op.file] = i
		}
	}
	d := disk{}
	var acknowledged []string
	// some cuts lose nearly everything that was not waited for, some nearly nothing
	luck := rnd.IntN(4)
	for i, op := range r.ops[:index] {
		last, ever := synced[op.file]
		certain := ever && i <= last
		switch op.kind {
		case 'a':
			acknowledged = append(acknowledged, op.ack)
		case 'w':
			d.write(op, certain, luck, rnd)
		case 't':
			if certain || rnd.IntN(4) <= luck {
				d.truncate(op.file, op.at)
			}
		case 'd', 'D':
			if certain || rnd.IntN(4) <= luck {
				delete(d, op.file)
			}
		}
	}
	return d, acknowledged
}

const sector = 512

func (d disk) write(op diskOp, certain bool, luck int, rnd *rand.Rand) {
	if certain || rnd.IntN(4) < luck {
		d.put(op.file, op.at, op.data)
		return
	}
	if rnd.IntN(2) == 0 {
		return
	}
	for start := 0; start < len(op.data); start += sector {
		if rnd.IntN(2) == 0 {
			d.put(op.file, op.at+int64(start), op.data[start:min(start+sector, len(op.data))])
		}
	}
}

func (d disk) put(file string, at int64, data []byte) {
	content := d[file]
	if end := int(at) + len(data); end > len(content) {
		content = append(content, make([]byte, end-len(content))...)
	}
	copy(content[at:], data)
	d[file] = content
}

func (d disk) truncate(file string, size int64) {
	if content := d[file]; int64(len(content)) > size {
		d[file] = content[:size:size]
	}
}
