package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/tool"
)

// maxTools bounds how many tools a server may list.
const maxTools = 500

// list asks a server for its tools.
func list(ctx context.Context, session *mcp.ClientSession) (map[string]pin, error) {
	seen := map[string]pin{}
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list its tools: %w", err)
		}
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return nil, fmt.Errorf("read its tool %q: %w", t.Name, err)
		}
		hash, err := Fingerprint(t.Name, t.Description, schema)
		if err != nil {
			return nil, err
		}
		if other, twice := seen[t.Name]; twice && other.Hash != hash {
			return nil, fmt.Errorf("it lists two tools of the name %q", t.Name)
		}
		seen[t.Name] = pin{Hash: hash, Description: t.Description, InputSchema: schema}
		if len(seen) > maxTools {
			return nil, fmt.Errorf("it lists more than %d tools", maxTools)
		}
	}
	return seen, nil
}

// learn reads what a server lists. The first definition of a tool is approved, unless the
// configuration says which ones are.
func (l *link) learn(seen map[string]pin) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.seen
	l.seen = seen
	if !l.known {
		for name, p := range seen {
			l.pins[name] = p.now()
		}
		l.known, l.fresh = true, l.looking
		if l.looking {
			return nil
		}
		l.log.Info("the tools of an MCP server are approved as they are, because it is new here",
			"tools", len(l.pins), "pinFile", l.server.PinFile)
		for _, name := range sorted(l.pins) {
			l.log.Debug("approved", "tool", name, "hash", l.pins[name].Hash)
		}
		if l.file != nil {
			return l.file.keep(l.server.Name, l.pins)
		}
		return nil
	}
	remedy := "look at what changed, and " + l.remedy(l.server.PinFile)
	for _, name := range sorted(seen) {
		if was, told := before[name]; told && was.Hash == seen[name].Hash {
			continue
		}
		switch p, approved := l.pins[name]; {
		case !approved && l.server.allows(name):
			l.log.Warn("a tool of an MCP server is not offered: it is not among the approved ones",
				"tool", name, "hash", seen[name].Hash, "approve", remedy)
		case approved && p.Hash != seen[name].Hash:
			l.log.Warn("a tool of an MCP server changed since it was approved: it is not called any more",
				"tool", name, "hash", seen[name].Hash, "approved", p.Hash, "approve", remedy)
		}
	}
	return nil
}

// remedy says how an operator approves a tool. file is what whoever reads that may know of the pin
// file.
func (l *link) remedy(file string) string {
	switch {
	case l.server.Pins != nil:
		return "set the new hash in the configuration's pins"
	case l.file != nil:
		return "remove the server from " + file + " and restart, which approves all its tools as they are then"
	}
	return "restart the server"
}

// state returns the state of a tool. Requires l.mu.
func (l *link) state(name string) (ToolState, string) {
	p, approved := l.pins[name]
	now, listed := l.seen[name]
	switch {
	case !l.server.allows(name):
		return ToolHidden, ""
	case !approved:
		return ToolNew, "it was not there when the server's tools were approved"
	case l.seen == nil:
		return ToolUnknown, ""
	case !listed:
		return ToolGone, "its server does not list it any more"
	case p.Hash != now.Hash:
		return ToolChanged, "its definition is not the approved one"
	}
	d, _ := now.definition(name)
	if _, err := d.clean(); err != nil {
		return ToolRefused, err.Error()
	}
	if l.fresh {
		return ToolNew, "its server was never served before: what it says then is approved"
	}
	return ToolReady, ""
}

func (l *link) status() Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Status{Server: l.server.Name, Connected: l.session != nil}
	if l.problem != nil && l.session == nil {
		s.Problem, s.NextTry = l.server.scrub(l.problem.Error()), l.nextTry
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(l.pins)), maps.Keys(l.seen))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		state, reason := l.state(name)
		s.Tools = append(s.Tools, ToolStatus{
			Name: toolName(l.server.Name, name), Tool: name, State: state, Reason: reason,
			Hash: l.seen[name].Hash, Pinned: l.pins[name].Hash,
		})
	}
	return s
}

// offer makes the first session and returns the tools that the Manager offers for all its life. It
// does not wait for a slow server whose tools are known from the pin file.
func (l *link) offer(ctx context.Context) ([]*tool.Tool, error) {
	first := l.acquire
	switch {
	case l.offline:
		first = func(context.Context) (*session, error) { return nil, nil }
	case l.canDoWithout():
		first = func(ctx context.Context) (*session, error) { return l.acquireSoon(ctx, func() {}) }
	}
	if _, err := first(ctx); err != nil {
		if errors.Is(err, errPinFile) {
			return nil, err
		}
		if l.server.Required {
			return nil, errors.New(l.server.scrub(err.Error()))
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.checkBind(); err != nil {
		return nil, err
	}
	offered := map[string]string{} // tools' names by the name they are offered under
	var tools []*tool.Tool
	for _, name := range sorted(l.pins) {
		d, ok := l.offerable(name)
		if !ok {
			continue
		}
		t := l.tool(d)
		if other, taken := offered[t.Name]; taken {
			return nil, fmt.Errorf("its tools %q and %q would both be called %s: leave one of them out with allow",
				other, name, t.Name)
		}
		offered[t.Name] = name
		tools = append(tools, t)
	}
	slices.SortFunc(tools, func(a, b *tool.Tool) int { return strings.Compare(a.Name, b.Name) })
	if len(tools) == 0 {
		l.log.Warn("an MCP server offers no tool", "connected", l.session != nil)
	}
	return tools, nil
}

// checkBind fails where Bind names a tool that there is not: the arguments of the one that is meant
// would be the model's to choose. Requires l.mu.
func (l *link) checkBind() error {
	if l.seen == nil {
		return nil
	}
	for _, name := range sorted(l.server.Bind) {
		_, listed := l.seen[name]
		if _, pinned := l.pins[name]; !listed && !pinned {
			return fmt.Errorf("bind names %q, and it lists no such tool (it has %s)", name,
				strings.Join(sorted(l.seen), ", "))
		}
	}
	return nil
}

// canDoWithout reports whether all approved tools can be offered before the server is there.
func (l *link) canDoWithout() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, p := range l.pins {
		if _, known := p.definition(name); !known {
			return false
		}
	}
	return len(l.pins) > 0 && !l.server.Required && !l.looking
}

// offerable returns the definition under which a pinned tool is offered: always the approved one.
// Requires l.mu.
func (l *link) offerable(name string) (definition, bool) {
	d, known := l.pins[name].definition(name)
	state, reason := l.state(name)
	if l.fresh && state == ToolNew {
		state = ToolReady
	}
	switch state {
	case ToolReady:
		d, _ = l.seen[name].definition(name)
	case ToolChanged:
		if !known { // what it says now is not approved, what it said then is not known
			return definition{
				Name:        name,
				Description: "This tool is not available: its definition changed since it was approved.",
			}, true
		}
	case ToolUnknown:
		if !known {
			return definition{}, false
		}
	default:
		if state != ToolHidden {
			l.log.Warn("a tool of an MCP server is not offered", "tool", name, "reason", reason)
		}
		return definition{}, false
	}
	cleaned, err := d.clean()
	if err != nil {
		l.log.Warn("a tool of an MCP server is not offered", "tool", name, "reason", err)
		return definition{}, false
	}
	return cleaned, true
}
