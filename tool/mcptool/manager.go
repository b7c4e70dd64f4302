package mcptool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pageside/pageside/tool"
)

// Manager holds the sessions with MCP servers. It is safe for concurrent use.
type Manager struct {
	links   []*link
	files   map[string]*pinFile
	looking bool
	offline bool
}

// Connect starts or reaches all servers at the same time and returns the tools they offer, in the
// order of the servers and of the tools' names. ctx bounds connecting only: sessions live until
// Close.
//
// Connect fails for a configuration that cannot be used, two tools with one name, or a required
// server that cannot be reached. For any other server that cannot be reached it logs a warning and
// offers the tools of the pin file.
func Connect(ctx context.Context, servers ...Server) ([]*tool.Tool, *Manager, error) {
	return connect(ctx, &Manager{}, servers)
}

// Look is Connect for finding out what there is: it approves nothing and writes no pin file. It
// returns the tools of a server that was never seen as they would be offered, and Status calls them
// new.
func Look(ctx context.Context, servers ...Server) ([]*tool.Tool, *Manager, error) {
	return connect(ctx, &Manager{looking: true}, servers)
}

// Offline is Look without starting or reaching a server: it returns the tools of the pin files.
func Offline(ctx context.Context, servers ...Server) ([]*tool.Tool, *Manager, error) {
	return connect(ctx, &Manager{looking: true, offline: true}, servers)
}

func connect(ctx context.Context, m *Manager, servers []Server) ([]*tool.Tool, *Manager, error) {
	m.files = map[string]*pinFile{}
	if err := m.add(servers); err != nil {
		return nil, nil, err
	}
	tools, err := m.connect(ctx)
	if err != nil {
		m.Close()
		return nil, nil, err
	}
	return tools, m, nil
}

// add checks the servers before any of them is started.
func (m *Manager) add(servers []Server) error {
	seen := map[string]bool{}
	for _, given := range servers {
		s, err := given.check()
		if err != nil {
			return fmt.Errorf("MCP server %q: %w", given.Name, err)
		}
		if seen[s.Name] {
			return fmt.Errorf("MCP server %q: there are two of that name", s.Name)
		}
		seen[s.Name] = true
		l, err := m.newLink(s)
		if err != nil {
			return fmt.Errorf("MCP server %q: %w", s.Name, err)
		}
		m.links = append(m.links, l)
	}
	return nil
}

func (m *Manager) newLink(s Server) (*link, error) {
	l := &link{
		server: s, looking: m.looking, offline: m.offline, pins: map[string]pin{},
		log: cmp.Or(s.Logger, slog.Default()).With("mcpServer", s.Name),
	}
	if s.URL != "" {
		var err error
		if l.guard, err = s.guard(); err != nil {
			return nil, err
		}
	}
	for name, hash := range s.Pins {
		l.pins[name] = pin{Hash: hash}
	}
	l.known = s.Pins != nil
	if s.PinFile != "" {
		if m.files[s.PinFile] == nil {
			f, err := openPins(s.PinFile)
			if err != nil {
				return nil, err
			}
			m.files[s.PinFile] = f
		}
		l.file = m.files[s.PinFile]
		if pins := l.file.of(s.Name); pins != nil {
			l.pins, l.known = pins, true
		}
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l, nil
}

// connect makes the first session with each server and the tools of all.
func (m *Manager) connect(ctx context.Context) ([]*tool.Tool, error) {
	offers := make([][]*tool.Tool, len(m.links))
	errs := make([]error, len(m.links))
	var wg sync.WaitGroup
	for i, l := range m.links {
		wg.Go(func() {
			if offers[i], errs[i] = l.offer(ctx); errs[i] != nil {
				errs[i] = fmt.Errorf("MCP server %q: %w", l.server.Name, errs[i])
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return slices.Concat(offers...), nil
}

// Close ends all sessions and processes at the same time. It takes a few seconds if a process does
// not end by itself. Calls that are under way fail.
func (m *Manager) Close() error {
	var wg sync.WaitGroup
	for _, l := range m.links {
		wg.Go(l.close)
	}
	wg.Wait()
	return nil
}

// Status is the state of a server.
type Status struct {
	Server    string       `json:"server"`
	Connected bool         `json:"connected"`
	Problem   string       `json:"problem,omitempty"` // why not, where the last attempt failed
	NextTry   time.Time    `json:"nextTry,omitzero"`  // calls before that fail without trying
	Tools     []ToolStatus `json:"tools"`
}

// ToolStatus is the state of a tool that a server lists or that is pinned.
type ToolStatus struct {
	Name   string    `json:"name"` // as it is offered here
	Tool   string    `json:"tool"` // as its server calls it
	State  ToolState `json:"state"`
	Hash   string    `json:"hash,omitempty"`   // of what the server said last
	Pinned string    `json:"pinned,omitempty"` // of what was approved
	Reason string    `json:"reason,omitempty"`
}

// ToolState says whether a tool may be called, and if not, why.
type ToolState string

// The states of tools.
const (
	ToolReady   ToolState = "ready"
	ToolChanged ToolState = "changed" // quarantined: its definition is not the approved one
	ToolNew     ToolState = "new"     // not offered: nobody approved it
	ToolGone    ToolState = "gone"    // approved, but its server does not list it any more
	ToolRefused ToolState = "refused" // not offered: its definition cannot be used
	ToolHidden  ToolState = "hidden"  // not among the allowed ones
	ToolUnknown ToolState = "unknown" // approved; the server has not been reached yet
)

// Status reports on all servers, in their order.
func (m *Manager) Status() []Status {
	var all []Status
	for _, l := range m.links {
		all = append(all, l.status())
	}
	return all
}

// sorted returns the keys of a map in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
