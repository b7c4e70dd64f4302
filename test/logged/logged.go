// Package logged has what a program under test has logged, which may still be logging while the
// test looks.
package logged

import (
	"log/slog"
	"strings"
	"sync"
)

// Text is what was written to it. Its zero value is empty, and its methods may be called from any
// goroutine.
type Text struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer. It never fails.
func (l *Text) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns all that was written, and not taken.
func (l *Text) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Take returns what was written since it was called the last time.
func (l *Text) Take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

// Logger returns a logger that writes to it, from level info on.
func (l *Text) Logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
