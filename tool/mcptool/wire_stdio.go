package mcptool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"github.com/pageside/pageside/internal/visible"
)

// How a process is ended, as the protocol asks: its input is closed, then it gets a signal, then it
// is killed.
const (
	afterInput = 2 * time.Second
	afterTerm  = time.Second
	afterExit  = time.Second // for what is left in its pipes
	// for it to say why, where nothing shows that it is about to end
	lastWords = 100 * time.Millisecond
)

// process carries a session over the standard input and output of a command.
type process struct {
	server       Server
	cmd          *exec.Cmd
	stdin        *os.File // our end
	stdout       *os.File // our end
	log          *slog.Logger
	toolsChanged func()

	exited chan struct{}
	status string // how it ended; set before exited is closed

	outputEnded atomic.Bool // the process is about to end

	silent chan struct{} // closed when its standard error ended
	wg     sync.WaitGroup

	mu       sync.Mutex
	lastLine string // of its standard error
}

// startProcess starts a server's command in a process group of its own.
func startProcess(s Server, log *slog.Logger, toolsChanged func()) (*process, error) {
	p := &process{server: s, log: log, toolsChanged: toolsChanged, exited: make(chan struct{}), silent: make(chan struct{})}
	p.cmd = exec.Command(s.Command, s.Args...)
	p.cmd.Dir = s.Dir
	p.cmd.Env = environment(s.Env)
	p.cmd.SysProcAttr = ownGroup()
	theirs, err := p.pipes()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Command, err)
	}
	started := make(chan error, 1)
	p.wg.Go(func() { p.run(started) })
	err = <-started
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		p.closePipes()
		p.wg.Wait()
		return nil, fmt.Errorf("start %s: %w", s.Command, err)
	}
	return p, nil
}

// pipes connects the command's streams and returns the ends that are the command's. They are plain
// pipes, so that waiting for the command does not wait for whoever else holds them.
func (p *process) pipes() (theirs []*os.File, err error) {
	in, stdin, err1 := os.Pipe()
	stdout, out, err2 := os.Pipe()
	stderr, errs, err3 := os.Pipe()
	if err := errors.Join(err1, err2, err3); err != nil {
		for _, f := range []*os.File{in, stdin, stdout, out, stderr, errs} {
			if f != nil {
				f.Close()
			}
		}
		return nil, err
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, out, errs
	p.stdin, p.stdout = stdin, stdout
	p.wg.Go(func() { p.readErrors(stderr) })
	return []*os.File{in, out, errs}, nil
}

// run starts the command and waits for its end, on a thread of its own: where the system can end a
// child together with its parent, the parent is that thread.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	err = p.cmd.Wait()
	p.status = "its process ended: exit status 0"
	if err != nil {
		p.status = "its process ended: " + err.Error()
	}
	killGroup(p.cmd.Process) // its children: nobody is left to end them
	close(p.exited)
	time.AfterFunc(afterExit, p.closePipes)
}

// output notes that a process's standard output ended.
type output struct {
	io.ReadCloser
	ended *atomic.Bool
}

func (o output) Read(b []byte) (int, error) {
	n, err := o.ReadCloser.Read(b)
	if err == io.EOF {
		o.ended.Store(true)
	}
	return n, err
}

func (p *process) closePipes() {
	p.stdin.Close()
	p.stdout.Close()
}

// transport is the SDK's own framing over the pipes, with a bound on the size of a message.
func (p *process) transport() mcp.Transport { return p }

// Connect implements mcp.Transport.
func (p *process) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := (&mcp.IOTransport{Reader: output{p.stdout, &p.outputEnded}, Writer: p.stdin, MaxLineLength: int(p.server.MaxBytes)}).Connect(ctx)
	return &calmConn{Connection: conn, limit: rate.NewLimiter(floodRate, floodBurst), toolsChanged: p.toolsChanged}, err
}

// How many messages a server may send unasked, per second and in a burst. The SDK queues them
// without bound.
const (
	floodRate  = 500
	floodBurst = 1000
)

// calmConn drops messages that a server sends unasked and too fast. Answers always pass. A change
// of the tools is noted even if its message is dropped.
type calmConn struct {
	mcp.Connection
	limit        *rate.Limiter
	toolsChanged func()
}

func (c *calmConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := c.Connection.Read(ctx)
		req, unasked := msg.(*jsonrpc.Request)
		if err != nil || !unasked {
			return msg, err
		}
		switch req.Method {
		case "notifications/message": // its log, which nobody reads
		// noted here, so that no call after the next answer uses a changed tool
		case "notifications/tools/list_changed":
			c.toolsChanged()
		default:
			if c.limit.Allow() {
				return msg, nil
			}
		}
	}
}

func (p *process) fail() {
	killGroup(p.cmd.Process)
	p.closePipes()
}

// shutdown ends the process and its children. It may be called again.
func (p *process) shutdown(session *mcp.ClientSession) {
	p.stdin.Close()
	if !p.ended(afterInput) {
		termGroup(p.cmd.Process)
		if !p.ended(afterTerm) {
			killGroup(p.cmd.Process)
			<-p.exited
		}
	}
	if session != nil {
		_ = session.Close()
	}
	p.closePipes()
	p.wg.Wait()
}

func (p *process) ended(within time.Duration) bool { return closed(p.exited, within) }

func closed(c <-chan struct{}, within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-c:
		return true
	case <-timer.C:
		return false
	}
}

// last returns how the process ended and what it said at its end. Its streams end a little before
// the process does.
func (p *process) last() string {
	var texts []string
	within := lastWords
	if p.outputEnded.Load() {
		within = afterInput
	}
	if p.ended(within) && closed(p.silent, within) {
		texts = append(texts, p.status)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lastLine != "" {
		texts = append(texts, "it said: "+p.lastLine)
	}
	return strings.Join(texts, "; ")
}

// What of a process's standard error is logged.
const (
	maxErrorLine = 2 << 10
	maxErrors    = 256 << 10
)

// readErrors logs the standard error line by line, up to a bound, and reads on: a full pipe would
// stop the process.
func (p *process) readErrors(stderr *os.File) {
	defer stderr.Close()
	defer close(p.silent)
	p.wg.Go(func() { // whoever else holds the pipe must not keep us
		select {
		case <-p.exited:
			_ = stderr.SetReadDeadline(time.Now().Add(afterExit))
		case <-p.silent:
		}
	})
	r := bufio.NewReaderSize(stderr, maxErrorLine)
	for total := 0; ; {
		raw, isPrefix, err := r.ReadLine()
		if err != nil {
			return
		}
		line := p.server.scrub(visible.Text(string(raw)))
		for isPrefix && err == nil {
			_, isPrefix, err = r.ReadLine()
		}
		p.mu.Lock()
		p.lastLine = brief(line, maxProgress)
		p.mu.Unlock()
		if total += len(line) + 1; total <= maxErrors {
			p.log.Debug("an MCP server's standard error", "line", line)
		} else if total-len(line)-1 <= maxErrors {
			p.log.Debug("an MCP server's standard error has become too long: the rest is not logged")
		}
	}
}

// inherited returns the part of our environment that a command gets: what programs need to run at
// all, and nothing that could be a secret.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TZ", "TMPDIR",
	"SystemRoot", "SYSTEMDRIVE", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "USERPROFILE", "USERNAME", "TEMP", "TMP", "PATHEXT", "COMSPEC",
}

func environment(own map[string]string) []string {
	var env []string
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for _, name := range sorted(own) {
		env = append(env, name+"="+own[name])
	}
	return slices.Clip(env)
}
