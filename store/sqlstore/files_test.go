//go:build linux

package sqlstore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pageside/pageside/internal/dbfile"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
	"github.com/pageside/pageside/test/logged"
	"github.com/pageside/pageside/test/must"
)

const holderEnv = "PAGESIDE_TEST_HOLDER"

// holder opens a database in a process of its own, says whether it could, and appends an event to
// its one run for each line it is sent. It closes the database when there are no more.
func holder(path string) {
	s, err := sqlstore.Open(context.Background(), path, sqlstore.WithLockWait(50*time.Millisecond))
	if err != nil {
		fmt.Println("refused:", err)
		return
	}
	id := strconv.Itoa(os.Getpid())
	fmt.Println("open", begun(s, id, "held"))
	lines := bufio.NewScanner(os.Stdin)
	for seq := int64(1); lines.Scan(); seq++ {
		fmt.Println("appended", appended(s, event(id, seq)))
	}
	fmt.Println("closed", s.Close())
}

// process is one that plays one of the roles.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	id    string
	in    io.WriteCloser
	lines *bufio.Reader
}

// start starts a process with variables in its environment.
func start(t *testing.T, env ...string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	p := &process{t: t, cmd: cmd, in: get(cmd.StdinPipe()), lines: bufio.NewReader(get(cmd.StdoutPipe()))}
	must.Do(t, cmd.Start())
	p.id = strconv.Itoa(cmd.Process.Pid)
	t.Cleanup(func() {
		p.in.Close()
		cmd.Wait()
	})
	return p
}

// holding starts a process that has to get a database.
func holding(t *testing.T, path string) *process {
	t.Helper()
	p := start(t, holderEnv+"="+path)
	p.says("open <nil>")
	return p
}

// wantKeptOut checks that another process does not get a database, and is told why.
func wantKeptOut(t *testing.T, path string, why ...string) {
	t.Helper()
	said := start(t, holderEnv+"="+path).line()
	wantErr(t, "open "+path, errors.New(said), append(why, "refused:")...)
}

func (p *process) line() string {
	p.t.Helper()
	line, err := p.lines.ReadString('\n')
	if err != nil {
		p.t.Fatalf("the process ended: %q, %v", line, err)
	}
	return strings.TrimSpace(line)
}

func (p *process) says(want string) {
	p.t.Helper()
	if got := p.line(); got != want {
		p.t.Fatalf("process %s says %q, want %q", p.id, got, want)
	}
}

// works checks that the process can write to the database, in its own epoch.
func (p *process) works() {
	p.t.Helper()
	get(io.WriteString(p.in, "append\n"))
	p.says("appended <nil>")
}

func (p *process) ends() {
	p.t.Helper()
	p.in.Close()
	p.says("closed <nil>")
}

// namesOf makes other names for a database file. A name is left out where it cannot be made here.
func namesOf(t *testing.T, path string) map[string]string {
	t.Helper()
	other, dir := t.TempDir(), filepath.Dir(path)
	names := map[string]string{
		"symbolic link":           other + "/link.db",
		"relative symbolic link":  dir + "/near.db",
		"link to a link":          other + "/again.db",
		"linked folder":           other + "/folder/test.db",
		"folder above a link":     other + "/sub/../test.db",
		"doubled slashes":         "//" + strings.ReplaceAll(path, "/", "//"),
		"scheme":                  "sqlite:" + path,
		"path with needless dots": dir + "/./test.db",
	}
	must.Do(t, os.Mkdir(dir+"/below", 0o700), os.Symlink(path, names["symbolic link"]),
		os.Symlink("test.db", names["relative symbolic link"]), os.Symlink("link.db", names["link to a link"]),
		os.Symlink(dir, other+"/folder"), os.Symlink(dir+"/below", other+"/sub"))
	bound := other + "/bound.db"
	must.Do(t, os.WriteFile(bound, nil, 0o600))
	if err := syscall.Mount(path, bound, "", syscall.MS_BIND, ""); err == nil { // root may
		t.Cleanup(func() { syscall.Unmount(bound, syscall.MNT_DETACH) })
		names["bind mount"] = bound
	}
	return names
}

// smallDisk returns the folder of a file system of its own, or skips the test.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("needs a file system of its own: mount tmpfs: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// TestOneProcessByAnyName has a process open a database, and others try to open it by whatever
// other name it has. None gets in, and the run of the first goes on as if nothing had been.
func TestOneProcessByAnyName(t *testing.T) {
	path := newPath(t)
	first := holding(t, path)
	for what, name := range namesOf(t, path) {
		wantKeptOut(t, name, "is using")
		wantErr(t, what, opening(name, sqlstore.WithLockWait(0)), "is using")
		first.works()
	}
	t.Chdir(filepath.Dir(path))
	wantKeptOut(t, "below/../test.db", "another pageside (process "+first.id+") is using test.db")
	first.works()
	first.ends()
	live := get(open(t, path).LiveRuns(t.Context()))
	if len(live) != 1 || live[0].Run.ID != first.id || live[0].Run.Epoch != 1 {
		t.Errorf("live runs are %+v: nobody else may have begun or taken over one", live)
	}
}

// TestHardLinksAreRefused, whether the database is in use or not: under each name SQLite would
// write a log of its own.
func TestHardLinksAreRefused(t *testing.T) {
	path := newPath(t)
	other := filepath.Join(t.TempDir(), "other.db")
	first := holding(t, path)
	if err := os.Link(path, other); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{path, other} {
		wantKeptOut(t, name, "2 hard links", "remove the other")
	}
	first.works() // a server need not end because somebody made a link
	first.ends()
	for _, name := range []string{path, other} {
		wantKeptOut(t, name, "2 hard links", "remove the other")
	}
	must.Do(t, os.Remove(path))
	holding(t, other)
}

// TestRenamedWhileOpen: the file under its new name is still the one that is in use.
func TestRenamedWhileOpen(t *testing.T) {
	path := newPath(t)
	first := holding(t, path)
	must.Do(t, os.Rename(path, path+".new"))
	wantKeptOut(t, path+".new", "is using")
	must.Do(t, os.Rename(path+".new", path))
	first.works()
}

// TestOneMakesIt has several processes make one database at the same time. One of them has it then.
func TestOneMakesIt(t *testing.T) {
	for range 3 {
		path := newPath(t)
		link := filepath.Join(t.TempDir(), "link.db")
		must.Do(t, os.Symlink(path, link)) // it leads nowhere yet
		var all, winners []*process
		for i := range 6 {
			all = append(all, start(t, holderEnv+"="+[]string{path, link}[i%2]))
		}
		for _, p := range all {
			if said := p.line(); said == "open <nil>" {
				winners = append(winners, p)
			} else if !strings.Contains(said, "is using") {
				t.Error(said)
			}
		}
		if len(winners) != 1 {
			t.Fatalf("%d processes have the database", len(winners))
		}
		winners[0].works()
	}
}

// TestLinksAreFollowed: what is reached through links is one database, with its log beside the file
// itself.
func TestLinksAreFollowed(t *testing.T) {
	path := newPath(t)
	names := namesOf(t, path)
	for what, name := range names {
		s := get(sqlstore.Open(t.Context(), name))
		begin(t, s, what, what)
		if what != "bind mount" {
			for _, file := range []string{path, path + "-wal", path + "-shm", path + ".lock"} {
				must.Be(t, get(os.Lstat(file)).Mode().Type(), 0, "%s: the kind of %s", what, file)
			}
		}
		must.Do(t, s.Close())
	}
	must.Be(t, len(get(open(t, path).LiveRuns(t.Context()))), len(names), "runs in the file")
}

// TestNoPlainFile: what is no file is refused by what it is, also through a link, and nothing waits
// for whoever is at its other end.
func TestNoPlainFile(t *testing.T) {
	dir := t.TempDir() + "/"
	socket := get(net.Listen("unix", dir+"socket"))
	defer socket.Close()
	must.Do(t, os.Mkdir(dir+"folder", 0o700), syscall.Mkfifo(dir+"pipe", 0o600), os.Symlink("loop", dir+"loop"),
		os.Symlink("nowhere/x.db", dir+"lost"), os.Symlink("folder", dir+"to-folder"),
		os.Symlink("pipe", dir+"to-pipe"), os.Symlink("/dev/null", dir+"to-device"),
		os.Symlink("socket", dir+"to-socket"))
	for name, want := range map[string]string{
		dir + "folder": "is a directory", dir + "to-folder": "is a directory", dir + "folder/": "is a directory",
		dir + "pipe": "is a named pipe", dir + "to-pipe": "is a named pipe",
		dir + "socket": "is a socket", dir + "to-socket": "is a socket",
		"/dev/null": "is a device", dir + "to-device": "is a device",
		dir + "loop": "too many links", dir + "lost": "no such file",
	} {
		wantErr(t, name, opening(name), want)
	}
	must.Be(t, len(get(filepath.Glob(dir+"*.lock"))), 0, "files that were left")
}

// TestOpenTwiceInAProcess: whoever is refused must leave alone the locks that SQLite holds for the
// one who has the file, for any program that opens the database believes them.
func TestOpenTwiceInAProcess(t *testing.T) {
	path := newPath(t)
	must.Do(t, open(t, path).Ping(t.Context()))
	before := posixLocks(t, path)
	for range 2 {
		wantErr(t, "the second time", opening(path, sqlstore.WithLockWait(0)), "is using")
		os.Remove(path + ".lock") // somebody cleans up
	}
	if after := posixLocks(t, path); before == 0 || after != before {
		t.Errorf("SQLite had %d locks on the file, and has %d", before, after)
	}
}

// posixLocks counts the locks on a file that closing any of its descriptors would end.
func posixLocks(t *testing.T, path string) (n int) {
	t.Helper()
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Skip(err)
	}
	inode := fmt.Sprintf(":%d ", get(os.Stat(path)).Sys().(*syscall.Stat_t).Ino)
	for line := range strings.Lines(string(locks)) {
		if strings.Contains(line, "POSIX") && strings.Contains(line, inode) {
			n++
		}
	}
	return n
}

// replaceFile puts a copy in the place of a file.
func replaceFile(path string) error {
	return errors.Join(copyFile(path, path+".copy"), os.Rename(path+".copy", path))
}

// TestFilesReplaced takes the database's files away under an open store. What cannot be kept is
// refused, the log says so once, and nothing is made in their place.
func TestFilesReplaced(t *testing.T) {
	for what, tt := range map[string]struct {
		change func(path string) error
		kept   bool // is what was acknowledged there when the database is opened again?
	}{
		"all deleted":       {func(path string) error { return remove(path, "", "-wal", "-shm", ".lock") }, false},
		"database deleted":  {func(path string) error { return remove(path, "") }, false},
		"database replaced": {replaceFile, false},
		"log deleted":       {func(path string) error { return remove(path, "-wal") }, true},
		"log replaced":      {func(path string) error { return replaceFile(path + "-wal") }, true},
		"index deleted":     {func(path string) error { return remove(path, "-shm") }, true},
		"index replaced":    {func(path string) error { return replaceFile(path + "-shm") }, true},
		"folder moved": {func(path string) error {
			return os.Rename(filepath.Dir(path), filepath.Dir(path)+".moved")
		}, false},
		"database moved away": {func(path string) error { return os.Rename(path, path+".moved") }, false},
	} {
		t.Run(what, func(t *testing.T) {
			var logs logged.Text
			path := filepath.Join(t.TempDir(), "folder", "test.db")
			must.Do(t, os.Mkdir(filepath.Dir(path), 0o700))
			s := open(t, path, sqlstore.WithLogger(logs.Logger()))
			begin(t, s, "r", "t")
			must.Do(t, appended(s, event("r", 1)), tt.change(path))
			_, before := os.Lstat(path)
			for doing, err := range map[string]error{
				"ping":   s.Ping(t.Context()),
				"begin":  begun(s, "other", "other"),
				"append": appended(s, event("r", 2)),
				"end":    ended(s, "r", store.Batch{}),
			} {
				must.FailWith(t, err, store.ErrReplaced, "%s", doing)
				wantErr(t, doing, err, "database file "+path,
					"was deleted or replaced while the server was running; restart it")
			}
			if _, err := s.Run(t.Context(), me, "r"); err != nil {
				must.FailWith(t, err, store.ErrReplaced, "read")
			}
			must.Do(t, s.Close())
			must.Be(t, strings.Count(logs.String(), "nothing is stored any more"), 1, "how often it was logged")
			if tt.kept {
				must.Be(t, get(open(t, path).Run(t.Context(), me, "r")).Status, store.RunLive, "the run")
			} else if _, after := os.Lstat(path); (before == nil) != (after == nil) {
				t.Errorf("the file was there: %v, is: %v", before, after)
			}
		})
	}
}

// TestPutBack: a file that was only away for a moment is the same one.
func TestPutBack(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	must.Do(t, os.Rename(path, path+".away"))
	must.FailWith(t, s.Ping(t.Context()), store.ErrReplaced, "while it is away")
	must.Do(t, os.Rename(path+".away", path), s.Ping(t.Context()))
}

// TestSuccessorIsLeftAlone: another server may begin anew where the files of one were deleted. When
// that one ends it touches nothing of the new one's.
func TestSuccessorIsLeftAlone(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	begin(t, s, "r", "t")
	must.Do(t, remove(path, "", "-wal", "-shm", ".lock"))
	next := holding(t, path)
	next.works()
	must.FailWith(t, s.Ping(t.Context()), store.ErrReplaced, "ping")
	must.Do(t, s.Close())
	next.works()
	wantKeptOut(t, path, "process "+next.id)
	next.ends()
	must.Be(t, get(checkEvents(t, open(t, path), next.id)), 2, "kept events of the successor")
	integrity(t, path)
}

// withBackup makes a database of 40 threads with a copy beside it, and opens it.
func withBackup(t *testing.T) (path, backup string, s *sqlstore.Store, logs *logged.Text) {
	t.Helper()
	path, logs = newPath(t), &logged.Text{}
	s = open(t, path)
	beginMany(t, s, "kept", 40, history(1)...)
	must.Do(t, s.Close(), copyFile(path, path+".backup"))
	return path, path + ".backup", open(t, path, sqlstore.WithLogger(logs.Logger())), logs
}

// wantHolds checks that a database is sound and has exactly so many threads, all of a kind.
func wantHolds(t *testing.T, path, prefix string, n int) {
	t.Helper()
	s := open(t, path)
	live := get(s.LiveRuns(t.Context()))
	for _, r := range live {
		messages := get(s.Transcript(t.Context(), me, r.Run.ThreadID, ""))
		if len(messages) != 1 || !strings.HasPrefix(r.Run.ID, prefix) {
			t.Errorf("thread %s has %d messages", r.Run.ThreadID, len(messages))
		}
	}
	must.Be(t, len(live), n, "threads of %s", path)
	must.Do(t, s.Ping(t.Context()), s.Close())
	integrity(t, path)
}

// TestBackupPutInPlace: after the restart that a replaced database asks for, the file that was put
// in its place is the database, with nothing of the old one in it.
func TestBackupPutInPlace(t *testing.T) {
	for what, replace := range map[string]func(path, backup string) error{
		"replaced": func(path, backup string) error { return os.Rename(backup, path) },
		"moved, then copy": func(path, backup string) error {
			return errors.Join(os.Rename(path, path+".moved"), os.Rename(backup, path))
		},
		"lock deleted, too": func(path, backup string) error {
			return errors.Join(remove(path, ".lock"), os.Rename(backup, path))
		},
	} {
		t.Run(what, func(t *testing.T) {
			path, backup, s, logs := withBackup(t)
			beginMany(t, s, "newer", 10, text("m"))
			for _, suffix := range []string{"-wal.old", "-shm.old.2"} { // of another time
				must.Do(t, os.WriteFile(path+suffix, []byte("mine"), 0o600))
			}
			must.Do(t, replace(path, backup))
			must.FailWith(t, s.Ping(t.Context()), store.ErrReplaced, "ping")
			must.Do(t, s.Close())
			for _, name := range []string{path + "-wal.old.3", path + "-shm.old.3"} {
				get(os.Lstat(name))
				must.Be(t, strings.Count(logs.String(), name), 1, "times that %s is in the log: %s", name, logs.String())
			}
			must.Be(t, string(get(os.ReadFile(path+"-wal.old"))), "mine", "what was put aside before")
			wantHolds(t, path, "kept", 40)
		})
	}
}

// TestDatabaseTakenAway: a database that was deleted leaves nothing to the empty one that the next
// start makes.
func TestDatabaseTakenAway(t *testing.T) {
	path, _, s, _ := withBackup(t)
	beginMany(t, s, "newer", 10, text("m"))
	must.Do(t, os.Remove(path), s.Close())
	for _, suffix := range []string{"-wal", "-shm"} {
		_, err := os.Lstat(path + suffix)
		must.FailWith(t, err, os.ErrNotExist, "%s", suffix)
		get(os.Lstat(path + suffix + ".old"))
	}
	wantHolds(t, path, "", 0)
}

// TestDatabaseMovedAway: under its new name, as well as when it is put back, a database has all
// that was acknowledged.
func TestDatabaseMovedAway(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	beginMany(t, s, "newer", 10, text("m"))
	must.Do(t, os.Rename(path, path+".moved"), s.Close())
	wantHolds(t, path+".moved", "newer", 10)
	must.Do(t, os.Rename(path+".moved", path))
	wantHolds(t, path, "newer", 10)
}

// TestClaimedByAnother: what another process has begun to use is not renamed under it.
func TestClaimedByAnother(t *testing.T) {
	path, backup, s, logs := withBackup(t)
	begin(t, s, "newer", "newer")
	must.Do(t, remove(path, "", ".lock"), copyFile(backup, path))
	claimed := get(dbfile.Claim(t.Context(), path, 0))
	defer claimed.Release()
	must.Do(t, s.Close())
	must.Have(t, logs.String(), "was not put aside: another pageside", "the log says")
	get(os.Lstat(path + "-wal"))
}
