//go:build linux

package sqlstore_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/sqlstore"
)

// process is one that runs holder.
type process struct {
	t     *testing.T
	id    string
	in    io.WriteCloser
	lines *bufio.Reader
	said  string // whether it could open the database
}

// hold starts a process and waits until it has said whether it could open the database.
func hold(t *testing.T, path string) *process {
	t.Helper()
	p := launch(t, path)
	p.said = p.line()
	return p
}

func launch(t *testing.T, path string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holderEnv+"="+path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(err, outErr, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	return &process{t: t, id: strconv.Itoa(cmd.Process.Pid), in: in, lines: bufio.NewReader(out)}
}

func (p *process) line() string {
	p.t.Helper()
	line, err := p.lines.ReadString('\n')
	if err != nil {
		p.t.Fatalf("the process ended: %q, %v", line, err)
	}
	return strings.TrimSpace(line)
}

// works checks that the process can write to the database, in its own epoch.
func (p *process) works() {
	p.t.Helper()
	if _, err := io.WriteString(p.in, "append\n"); err != nil {
		p.t.Fatal(err)
	}
	if got := p.line(); got != "appended <nil>" {
		p.t.Errorf("the process that has the database: %s", got)
	}
}

func (p *process) ends() {
	p.t.Helper()
	p.in.Close()
	if got := p.line(); got != "closed <nil>" {
		p.t.Errorf("the process that has the database: %s", got)
	}
}

// namesOf makes other names for a database file. A name is left out where it cannot be made here.
func namesOf(t *testing.T, path string) map[string]string {
	t.Helper()
	other := t.TempDir()
	names := map[string]string{
		"symbolic link":           filepath.Join(other, "link.db"),
		"relative symbolic link":  filepath.Join(filepath.Dir(path), "near.db"),
		"link to a link":          filepath.Join(other, "again.db"),
		"linked folder":           filepath.Join(other, "folder", filepath.Base(path)),
		"folder above a link":     filepath.Join(other, "sub") + "/../" + filepath.Base(path),
		"doubled slashes":         "//" + strings.ReplaceAll(path, "/", "//"),
		"scheme":                  "sqlite:" + path,
		"path with needless dots": filepath.Dir(path) + "/./" + filepath.Base(path),
	}
	if err := os.Mkdir(filepath.Join(filepath.Dir(path), "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, link := range []struct{ to, at string }{
		{path, names["symbolic link"]},
		{filepath.Base(path), names["relative symbolic link"]},
		{"link.db", names["link to a link"]},
		{filepath.Dir(path), filepath.Join(other, "folder")},
		{filepath.Join(filepath.Dir(path), "below"), filepath.Join(other, "sub")},
	} {
		if err := os.Symlink(link.to, link.at); err != nil {
			t.Fatal(err)
		}
	}
	bound := filepath.Join(other, "bound.db")
	if err := os.WriteFile(bound, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount(path, bound, "", syscall.MS_BIND, ""); err == nil { // root may
		t.Cleanup(func() { syscall.Unmount(bound, syscall.MNT_DETACH) })
		names["bind mount"] = bound
	}
	return names
}

// TestOneProcessByAnyName has a process open a database, and others try to open it by whatever
// other name it has. None gets in, and the run of the first goes on as if nothing had been.
func TestOneProcessByAnyName(t *testing.T) {
	path := newPath(t)
	first := hold(t, path)
	if first.said != "open <nil>" {
		t.Fatal(first.said)
	}
	for what, name := range namesOf(t, path) {
		if got := hold(t, name).said; !strings.Contains(got, "is using") {
			t.Errorf("%s: %s", what, got)
		}
		if _, err := sqlstore.Open(t.Context(), name, sqlstore.WithLockWait(0)); err == nil || !strings.Contains(err.Error(), "is using") {
			t.Errorf("%s: %v", what, err)
		}
		first.works()
	}
	t.Chdir(filepath.Dir(path))
	if got := hold(t, "below/../test.db").said; !strings.Contains(got, "another pageside (process "+first.id+") is using test.db") {
		t.Errorf("relative path: %s", got)
	}
	first.works()
	first.ends()
	s := open(t, path)
	if live, err := s.LiveRuns(t.Context()); err != nil || len(live) != 1 || live[0].Run.ID != first.id || live[0].Run.Epoch != 1 {
		t.Errorf("live runs are %+v, %v: nobody else may have begun or taken over one", live, err)
	}
}

// TestHardLinksAreRefused, whether the database is in use or not: under each name SQLite would
// write a log of its own.
func TestHardLinksAreRefused(t *testing.T) {
	path := newPath(t)
	other := filepath.Join(t.TempDir(), "other.db")
	first := hold(t, path)
	if err := os.Link(path, other); err != nil {
		t.Skip(err)
	}
	check := func() {
		t.Helper()
		for _, name := range []string{path, other} {
			if got := hold(t, name).said; !strings.Contains(got, "2 hard links") || !strings.Contains(got, "remove the other") {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
	check()
	first.works() // a server need not end because somebody made a link
	first.ends()
	check()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := hold(t, other).said; got != "open <nil>" {
		t.Errorf("with one name left: %s", got)
	}
}

// TestRenamedWhileOpen: the file under its new name is still the one that is in use.
func TestRenamedWhileOpen(t *testing.T) {
	path := newPath(t)
	first := hold(t, path)
	renamed := path + ".new"
	if err := os.Rename(path, renamed); err != nil {
		t.Fatal(err)
	}
	if got := hold(t, renamed).said; !strings.Contains(got, "is using") {
		t.Errorf("by its new name: %s", got)
	}
	if err := os.Rename(renamed, path); err != nil {
		t.Fatal(err)
	}
	first.works()
}

// TestOneMakesIt has several processes make one database at the same time. One of them has it then.
func TestOneMakesIt(t *testing.T) {
	for range 3 {
		path := newPath(t)
		link := filepath.Join(t.TempDir(), "link.db")
		if err := os.Symlink(path, link); err != nil { // it leads nowhere yet
			t.Fatal(err)
		}
		var all, winners []*process
		for i := range 6 {
			all = append(all, launch(t, []string{path, link}[i%2]))
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
	for what, name := range namesOf(t, path) {
		s, err := sqlstore.Open(t.Context(), name)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		id := strings.ReplaceAll(what, " ", "-")
		if err := s.BeginRun(t.Context(), me, store.Run{ID: id, ThreadID: "t-" + id}, nil); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if what != "bind mount" {
			for _, file := range []string{path, path + "-wal", path + "-shm", path + ".lock"} {
				if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
					t.Errorf("%s: %v, %v", what, info, err)
				}
			}
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	s := open(t, path)
	if live, err := s.LiveRuns(t.Context()); err != nil || len(live) < 8 {
		t.Errorf("%d runs are in the file, %v", len(live), err)
	}
}

// TestNoPlainFile: what is no file is refused by what it is, also through a link, and nothing waits
// for whoever is at its other end.
func TestNoPlainFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	socket, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	err = errors.Join(os.Mkdir(at("folder"), 0o700), syscall.Mkfifo(at("pipe"), 0o600), os.Symlink("loop", at("loop")),
		os.Symlink("nowhere/x.db", at("lost")))
	for name, to := range map[string]string{"to-folder": "folder", "to-pipe": "pipe", "to-device": "/dev/null", "to-socket": "socket"} {
		err = errors.Join(err, os.Symlink(to, at(name)))
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		at("folder"): "is a directory", at("to-folder"): "is a directory", at("folder") + "/": "is a directory",
		at("pipe"): "is a named pipe", at("to-pipe"): "is a named pipe",
		at("socket"): "is a socket", at("to-socket"): "is a socket",
		"/dev/null": "is a device", at("to-device"): "is a device",
		at("loop"): "too many links", at("lost"): "no such file",
	} {
		if s, err := sqlstore.Open(t.Context(), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", name, s, err, want)
		}
	}
	if files, err := filepath.Glob(at("*.lock")); err != nil || len(files) > 0 {
		t.Errorf("files were left: %v, %v", files, err)
	}
}

// TestOpenTwiceInAProcess: whoever is refused must leave alone the locks that SQLite holds for the
// one who has the file, for any program that opens the database believes them.
func TestOpenTwiceInAProcess(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	if err := s.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := posixLocks(t, path)
	for range 2 {
		if _, err := sqlstore.Open(t.Context(), path, sqlstore.WithLockWait(0)); err == nil {
			t.Fatal("the file was opened twice")
		}
		os.Remove(path + ".lock") // somebody cleans up
	}
	if after := posixLocks(t, path); before == 0 || after != before {
		t.Errorf("SQLite had %d locks on the file, and has %d", before, after)
	}
}

// posixLocks counts the locks on a file that closing any of its descriptors would end.
func posixLocks(t *testing.T, path string) (n int) {
	t.Helper()
	text, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Skip(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	inode := fmt.Sprintf(":%d ", info.Sys().(*syscall.Stat_t).Ino)
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "POSIX") && strings.Contains(line, inode) {
			n++
		}
	}
	return n
}

// TestFilesReplaced takes the database's files away under an open store. What cannot be kept is
// refused, the log says so once, and nothing is made in their place.
func TestFilesReplaced(t *testing.T) {
	remove := func(suffixes ...string) func(string) error {
		return func(path string) (err error) {
			for _, suffix := range suffixes {
				err = errors.Join(err, os.Remove(path+suffix))
			}
			return err
		}
	}
	replace := func(suffix string) func(string) error {
		return func(path string) error {
			content, err := os.ReadFile(path + suffix)
			return errors.Join(err, os.WriteFile(path+".copy", content, 0o600), os.Rename(path+".copy", path+suffix))
		}
	}
	for what, tt := range map[string]struct {
		change func(path string) error
		kept   bool // is what was acknowledged there when the database is opened again?
	}{
		"all deleted":         {remove("", "-wal", "-shm", ".lock"), false},
		"database deleted":    {remove(""), false},
		"database replaced":   {replace(""), false},
		"log deleted":         {remove("-wal"), true},
		"log replaced":        {replace("-wal"), true},
		"index deleted":       {remove("-shm"), true},
		"index replaced":      {replace("-shm"), true},
		"folder moved":        {func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+".moved") }, false},
		"database moved away": {func(path string) error { return os.Rename(path, path+".moved") }, false},
	} {
		t.Run(what, func(t *testing.T) {
			var logs bytes.Buffer
			var mu sync.Mutex
			path := filepath.Join(t.TempDir(), "folder", "test.db")
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			s := open(t, path, sqlstore.WithLogger(slog.New(slog.NewTextHandler(&lockedWriter{&mu, &logs}, nil))))
			if err := errors.Join(s.BeginRun(t.Context(), me, store.Run{ID: "r", ThreadID: "t"}, nil), appendNow(s, "r", 1)); err != nil {
				t.Fatal(err)
			}
			if err := tt.change(path); err != nil {
				t.Fatal(err)
			}
			before := filesIn(t, filepath.Dir(path))
			for doing, err := range map[string]error{
				"ping":   s.Ping(t.Context()),
				"begin":  s.BeginRun(t.Context(), me, store.Run{ID: "other", ThreadID: "other"}, nil),
				"append": appendNow(s, "r", 2),
				"end":    s.EndRun(t.Context(), me, store.Run{ID: "r", Status: store.RunFinished}, nil, store.Batch{}),
			} {
				if !errors.Is(err, store.ErrReplaced) || !strings.Contains(err.Error(), "database file "+path) ||
					!strings.Contains(err.Error(), "was deleted or replaced while the server was running; restart it") {
					t.Errorf("%s: %v", doing, err)
				}
			}
			if _, err := s.Run(t.Context(), me, "r"); err != nil && !errors.Is(err, store.ErrReplaced) {
				t.Errorf("read: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if n := strings.Count(logs.String(), "nothing is stored any more"); n != 1 {
				t.Errorf("it was logged %d times: %s", n, logs.String())
			}
			if tt.kept {
				s = open(t, path)
				if last, err := s.Run(t.Context(), me, "r"); err != nil || last.Status != store.RunLive {
					t.Errorf("the run is %+v, %v", last, err)
				}
				return
			}
			if after := filesIn(t, filepath.Dir(path)); after != before {
				t.Errorf("files were %s, are %s", before, after)
			}
		})
	}
}

func filesIn(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		// the log and its index come and go with whoever has the database open
		if e.Name() == "test.db" || e.Name() == "test.db.copy" {
			names = append(names, e.Name())
		}
	}
	return strings.Join(names, " ")
}

// TestPutBack: a file that was only away for a moment is the same one.
func TestPutBack(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); !errors.Is(err, store.ErrReplaced) {
		t.Errorf("while it is away: %v", err)
	}
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("when it is back: %v", err)
	}
}

// TestSuccessorIsLeftAlone: another server may begin anew where the files of one were deleted. When
// that one ends it touches nothing of the new one's.
func TestSuccessorIsLeftAlone(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	if err := s.BeginRun(t.Context(), me, store.Run{ID: "r", ThreadID: "t"}, nil); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
		if err := os.Remove(path + suffix); err != nil {
			t.Fatal(err)
		}
	}
	next := hold(t, path)
	if next.said != "open <nil>" {
		t.Fatal(next.said)
	}
	next.works()
	if err := s.Ping(t.Context()); !errors.Is(err, store.ErrReplaced) {
		t.Errorf("ping: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	next.works()
	if got := hold(t, path).said; !strings.Contains(got, "process "+next.id) {
		t.Errorf("a third one: %s", got)
	}
	next.ends()
	s = open(t, path)
	if last, err := checkEvents(t, s, next.id); err != nil || last != 2 {
		t.Errorf("%d events of the successor are kept, %v", last, err)
	}
	integrity(t, path)
}
