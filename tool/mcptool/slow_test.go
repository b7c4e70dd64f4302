package mcptool_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/mcptool"
)

// slow is a server that does not begin to speak before its gate is opened, each time it is started.
func slow(t *testing.T) (s mcptool.Server, open func()) {
	s = stdio(t, "slow")
	gate := filepath.Join(t.TempDir(), "gate")
	must.Do(t, syscall.Mkfifo(gate, 0o600))
	s.Env["GATE"] = gate
	return s, func() {
		f, err := os.OpenFile(gate, os.O_WRONLY, 0) // returns when the server has come to its gate
		must.Do(t, err)
		f.Close()
	}
}

// A server that takes long to start is started once. A call that has waited is told so, and does
// not end it: the next one finds it there.
func TestASlowStartIsNoCallsOwn(t *testing.T) {
	t.Parallel()
	s, open := slow(t)
	s.Default.Effect = tool.Read
	go open()
	// required: the start waits as long as it takes
	ts := connect(t, mcptool.Impatient(s, 10*time.Millisecond))
	want(t, ts.call("f__die", `{}`), true, "")
	progressed := make(chan tool.Progress, 100)
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		res := ts.callWith(ctx, "f__echo", `{"text":"a"}`, func(p tool.Progress) { progressed <- p })
		cancel() // as a run that ends
		want(t, res, true, `"starting"`, `"retryable":true`)
	}
	if p := <-progressed; p.Stage != "f" || !strings.Contains(p.Message, "being started") {
		t.Errorf("the user is told %+v", p)
	}
	open()
	eventually(t, "an answer", func() bool {
		res := ts.call("f__echo", `{"text":"b"}`)
		return !res.IsError && res.Text == "b"
	})
	must.Be(t, len(notes(t, s, "start")), 2, "starts: once, and once again after it died")
}

// Where its tools are known from the pin file the start of this server does not wait for a slow
// one; what is not known is waited for.
func TestASlowStartHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	s, open := slow(t)
	s.Required, s.PinFile = false, filepath.Join(t.TempDir(), "pins.json")
	s = mcptool.Impatient(s, 10*time.Millisecond)
	go open()
	if ts := connect(t, s); !strings.Contains(ts.names(), "f__echo") {
		t.Fatalf("at first it offers %q", ts.names())
	}
	ts := connect(t, s) // whose gate is closed
	if st := ts.manager.Status()[0]; !strings.Contains(ts.names(), "f__echo") || st.Connected {
		t.Errorf("it offers %q and is %+v", ts.names(), st)
	}
	open()
	eventually(t, "an answer", func() bool { return ts.call("f__echo", `{"text":"b"}`).Text == "b" })
}

// A server that leaves what it does not know without an answer is spoken to as it understands.
func TestAServerThatIgnoresNewQuestions(t *testing.T) {
	t.Parallel()
	s := stdio(t, "old")
	s.Default.Effect = tool.Read
	ts := connect(t, mcptool.Hasty(s, 100*time.Millisecond))
	want(t, ts.call("f__echo", `{"text":"a"}`), false, "a")
	must.Be(t, len(notes(t, s, "start")), 1, "starts")
}
