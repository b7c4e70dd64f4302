package mcp

import (
	"context"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// progress tells a client how a call goes, if it wants to know.
type progress struct {
	session *sdk.ServerSession
	token   any // nil: it does not

	mu   sync.Mutex
	n    float64
	text strings.Builder // that was not sent yet
	sent time.Time
}

// textEvery is how often a growing text is told.
const textEvery = 200 * time.Millisecond

func newProgress(req *sdk.CallToolRequest) *progress {
	return &progress{session: req.Session, token: req.Params.GetProgressToken()}
}

// say sends a message, after the text so far.
func (p *progress) say(ctx context.Context, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush(ctx)
	p.send(ctx, message)
}

// write adds to the text, which is sent in pieces.
func (p *progress) write(ctx context.Context, delta string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text.WriteString(delta)
	if time.Since(p.sent) >= textEvery {
		p.flush(ctx)
	}
}

// flush sends the rest of the text. Requires p.mu.
func (p *progress) flush(ctx context.Context) {
	text := p.text.String()
	p.text.Reset()
	p.send(ctx, text)
}

// send requires p.mu.
func (p *progress) send(ctx context.Context, message string) {
	if p.token == nil || message == "" {
		return
	}
	p.n++
	p.sent = time.Now()
	// fails if the client has gone
	_ = p.session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
		ProgressToken: p.token, Progress: p.n, Message: message,
	})
}
