package config

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/mcptool"
)

// mcpTools connects to the MCP servers of the file and returns their tools.
func (b *builder) mcpTools(ctx context.Context) []*tool.Tool {
	if len(b.MCP) == 0 {
		return nil
	}
	var servers []mcptool.Server
	for _, name := range keys(b.MCP) {
		servers = append(servers, b.mcpServer(name, b.MCP[name]))
	}
	if len(b.problems) > 0 {
		return nil
	}
	s := b.before.reuse(servers)
	if s == nil {
		var err error
		if s, err = b.connect(ctx, servers); err != nil {
			b.failServers(err)
			return nil
		}
	}
	b.site.sessions, b.site.MCP = s, s.manager
	return s.tools
}

var ofServer = lazy.Regexp(`^MCP server "([^"]+)": `)

// failServers reports each problem at its server.
func (b *builder) failServers(err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		field := "mcp"
		if m := ofServer().FindStringSubmatch(line); m != nil {
			field, line = jsonPath(field, m[1]), line[len(m[0]):]
		}
		b.fail(field, "%s", line)
	}
}

func (b *builder) mcpServer(name string, m MCPServer) mcptool.Server {
	at := jsonPath("mcp", name)
	env, ofEnv := b.secretsAt(at+".env", m.Env)
	headers, ofHeaders := b.secretsAt(at+".headers", m.Headers)
	s := mcptool.Server{
		Name: name, Command: m.Command, Args: m.Args, Env: env, URL: m.URL, Headers: headers,
		Secrets: slices.Concat(ofEnv, ofHeaders), Egress: b.EgressPolicy(),
		Allow: m.Allow, Pins: m.Pins, Required: m.Required, Timeout: time.Duration(m.Timeout),
		Default: mcptool.Options{
			Effect: tool.Effect(m.Effect), Policy: policyOf(m.Approval, false, m.Rate), Global: m.Global,
		},
		Tools: map[string]mcptool.Options{}, Meta: m.Meta,
	}
	for i, name := range m.Meta {
		b.sound(fmt.Sprintf("%s.meta[%d]", at, i), tool.CheckDisclosed(name))
	}
	for name, bind := range m.Bind {
		if s.Bind == nil {
			s.Bind = map[string]map[string]tool.Source{}
		}
		s.Bind[name] = b.bindAt(jsonPath(at+".bind", name), bind)
	}
	if m.StartTimeout != nil {
		s.ConnectTimeout = time.Duration(*m.StartTimeout)
	}
	if m.Command != "" {
		s.Dir = b.besideFile(m.Dir)
	}
	if len(m.Pins) == 0 {
		s.PinFile = b.besideFile(cmp.Or(m.PinFile, "pageside.pins.json"))
	}
	for name, effect := range m.Effects {
		o := s.Default
		o.Effect = tool.Effect(effect)
		s.Tools[name] = o
	}
	return s
}

// sessions are connections to a file's MCP servers. Sites share them while the file's entries for
// the servers stay the same, so that a new page title restarts no program.
type sessions struct {
	servers []mcptool.Server
	tools   []*tool.Tool
	manager *mcptool.Manager
	pins    map[string][]byte // the pin files when the tools were listed

	mu    sync.Mutex
	users int // sites; the last one closes the sessions
}

func (b *builder) connect(ctx context.Context, servers []mcptool.Server) (*sessions, error) {
	open := mcptool.Connect
	switch {
	case b.Offline:
		open = mcptool.Offline
	case b.Look:
		open = mcptool.Look
	}
	tools, manager, err := open(ctx, servers...)
	if err != nil {
		return nil, err
	}
	return &sessions{servers: servers, tools: tools, manager: manager, pins: pinFiles(servers), users: 1}, nil
}

// pinFiles returns the contents of the servers' pin files.
func pinFiles(servers []mcptool.Server) map[string][]byte {
	files := map[string][]byte{}
	for _, s := range servers {
		if s.PinFile != "" {
			files[s.PinFile], _ = os.ReadFile(s.PinFile) // a missing file has no content
		}
	}
	return files
}

// reuse returns the sessions for one more site, or nil if they do not fit it: the servers differ,
// one is not connected, or other definitions have been approved.
func (s *Site) reuse(servers []mcptool.Server) *sessions {
	if s == nil || s.sessions == nil || !s.sessions.fit(servers) {
		return nil
	}
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	if s.sessions.users == 0 {
		return nil
	}
	s.sessions.users++
	return s.sessions
}

func (s *sessions) fit(servers []mcptool.Server) bool {
	if !reflect.DeepEqual(s.servers, servers) || !maps.EqualFunc(s.pins, pinFiles(servers), bytes.Equal) {
		return false
	}
	return !slices.ContainsFunc(s.manager.Status(), func(st mcptool.Status) bool { return !st.Connected })
}

// release gives the sessions back. The last site to do so closes them.
func (s *sessions) release() {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.users--
	last := s.users == 0
	s.mu.Unlock()
	if last {
		_ = s.manager.Close()
	}
}
