package mcptool

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"github.com/pageside/pageside/internal/visible"
)

// How a process is ended, as the protocol asks: its input is closed, then it gets a signal, then it
// is killed. Whoever holds its pipes after its end has a second.
const (
	afterInput = 2 * time.Second
	afterTerm  = time.Second
	// how long an ended session waits to learn how its process ended
	untilReaped = 300 * time.Millisecond
)

// process carries a session over the standard input and output of a command. The library's own
// transport for commands bounds no message, and does not notice that a process died while a child
// of it holds its pipes.
type process struct {
	server       Server
	cmd          *exec.Cmd
	end          context.CancelFunc // has it get a signal, and be killed later
	stdin        io.WriteCloser
	stdout       *io.PipeReader
	errors       *complaints
	toolsChanged func()
	exited       chan struct{} // closed when it ended and everything it wrote was read
}

// startProcess starts a server's command in a process group of its own.
func startProcess(s Server, log *slog.Logger, toolsChanged func()) (*process, error) {
	p := &process{
		server: s, errors: &complaints{server: s, log: log},
		toolsChanged: toolsChanged, exited: make(chan struct{}),
	}
	var ctx context.Context
	ctx, p.end = context.WithCancel(context.Background())
	p.cmd = exec.CommandContext(ctx, s.Command, s.Args...)
	p.cmd.Dir, p.cmd.Env = s.Dir, environment(s.Env)
	p.cmd.SysProcAttr = ownGroup()
	p.cmd.Cancel = func() error { termGroup(p.cmd.Process); return nil }
	p.cmd.WaitDelay = afterTerm
	var out *io.PipeWriter
	p.stdout, out = io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = untilEnd{out}, p.errors
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err == nil {
		started := make(chan error, 1)
		go p.run(out, started)
		err = <-started
	}
	if err != nil {
		p.end()
		return nil, fmt.Errorf("start %s: %w", s.Command, err)
	}
	return p, nil
}

// untilEnd is where a process writes. It ends with the process, or a moment after an output that
// the process closed though it lives on: nothing answers any more.
type untilEnd struct{ *io.PipeWriter }

// ReadFrom implements io.ReaderFrom, by which a command copies its output.
func (w untilEnd) ReadFrom(r io.Reader) (int64, error) {
	n, err := io.Copy(w.PipeWriter, r)
	time.AfterFunc(afterTerm, func() { w.Close() })
	return n, err
}

// run starts the command and waits for its end, on a thread of its own: where the system can end a
// child together with its parent, the parent is that thread.
func (p *process) run(out *io.PipeWriter, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	_ = p.cmd.Wait() // its state says how it ended
	p.end()
	killGroup(p.cmd.Process) // its children: nobody is left to end them
	p.errors.flush()
	close(p.exited)
	out.Close()
}

// Connect implements mcp.Transport: it is the SDK's own framing over the pipes, with a bound on the
// size of a message.
func (p *process) Connect(ctx context.Context) (mcp.Connection, error) {
	pipes := &mcp.IOTransport{Reader: p.stdout, Writer: p.stdin, MaxLineLength: int(p.server.MaxBytes)}
	conn, err := pipes.Connect(ctx)
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
	p.stdout.Close()
}

// shutdown ends the process and its children. It may be called again.
func (p *process) shutdown(session *mcp.ClientSession) {
	p.stdin.Close()
	timer := time.AfterFunc(afterInput, p.end)
	<-p.exited
	timer.Stop()
	if session != nil {
		_ = session.Close()
	}
	p.stdout.Close()
}

// last returns how the process ended and what it said at its end. One whose input has just broken
// is about to have ended.
func (p *process) last() string {
	var texts []string
	select {
	case <-p.exited:
		texts = append(texts, "its process ended: "+p.cmd.ProcessState.String())
	case <-time.After(untilReaped):
	}
	if line := p.errors.last(); line != "" {
		texts = append(texts, "it said: "+line)
	}
	return strings.Join(texts, "; ")
}

// What of a process's standard error is logged.
const (
	maxErrorLine = 2 << 10
	maxErrors    = 256 << 10
)

// complaints logs what a process writes to its standard error, line by line, up to a bound.
type complaints struct {
	server Server
	log    *slog.Logger

	mu     sync.Mutex
	line   []byte // the beginning of one that is not complete
	latest string
	total  int
}

// Write implements io.Writer. It never fails: a full pipe would stop the process.
func (c *complaints) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for line := range bytes.Lines(b) {
		text, ended := bytes.CutSuffix(line, []byte("\n"))
		c.line = append(c.line, text[:min(len(text), maxErrorLine-len(c.line))]...)
		if ended {
			c.tell()
		}
	}
	return len(b), nil
}

// tell logs a line. Requires c.mu.
func (c *complaints) tell() {
	line := c.server.scrub(visible.Text(string(bytes.TrimSuffix(c.line, []byte("\r")))))
	c.line, c.latest = c.line[:0], visible.Brief(line, maxProgress)
	before := c.total
	if c.total += len(line) + 1; c.total <= maxErrors {
		c.log.Debug("an MCP server's standard error", "line", line)
	} else if before <= maxErrors {
		c.log.Debug("an MCP server's standard error has become too long: the rest is not logged")
	}
}

// flush ends a line that was not ended.
func (c *complaints) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.line) > 0 {
		c.tell()
	}
}

// last returns the line that was written last.
func (c *complaints) last() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.latest
}

// inherited returns the part of our environment that a command gets: what programs need to run at
// all, and nothing that could be a secret.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TZ", "TMPDIR",
	"SystemRoot", "SYSTEMDRIVE", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "USERPROFILE", "USERNAME",
	"TEMP", "TMP", "PATHEXT", "COMSPEC",
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
	return env
}
