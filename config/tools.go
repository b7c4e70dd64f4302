package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/httptool"
)

func jsonPath(parent, key string) string { return jsonx.Join(parent, jsonx.KeyPath(key)) }

// allTools returns the program's tools, the HTTP tools of the file, its agents elsewhere, and the
// tools of its MCP servers.
func (b *builder) allTools(ctx context.Context) []*tool.Tool {
	list := slices.Clone(b.Options.Tools)
	if _, err := egress.New(b.EgressPolicy()); err != nil { // reported once, not for each tool
		b.fail("egress", "%v", err)
		return list
	}
	for i, t := range b.File.Tools {
		if made := b.httpTool(fmt.Sprintf("tools[%d]", i), t); made != nil {
			list = append(list, made)
		}
	}
	for _, name := range keys(b.File.A2A) {
		if made := b.a2aTool(name, b.File.A2A[name]); made != nil {
			list = append(list, made)
		}
	}
	list = append(list, b.mcpTools(ctx)...)
	return append(list, b.unlisted(list)...)
}

func (b *builder) httpTool(at string, t Tool) *tool.Tool {
	c := httptool.Config{
		Name: t.Name, Description: t.Description, InputSchema: b.objectAt(at+".input", t.Input),
		Category: t.Category, Global: t.Global,
		Method: t.Method, URL: t.URL, Body: t.Body, Bind: b.bindAt(at+".bind", t.Bind),
		Sign:        b.signAt(at+".sign", t.Sign),
		PayloadType: t.PayloadType, PayloadPointer: t.Payload, State: t.State,
		Effect: tool.Effect(t.Effect), Policy: policyOf(t.Approval, t.Sequential, t.Rate, t.OpenArgs...),
		Timeout: time.Duration(t.Timeout), MaxBytes: int64(t.MaxBytes),
		Egress: b.EgressPolicy(),
	}
	c.Sources = (*httptool.Sources)(t.Sources)
	plain, templates := splitHeaders(t.Headers)
	c.HeaderTemplates = templates
	c.Headers, c.Secrets = b.secretsAt(at+".headers", plain)
	if strings.HasPrefix(t.Result, "/") {
		c.ResultPointer = t.Result
	} else {
		c.Result = t.Result
	}
	made, err := httptool.New(c)
	if err == nil {
		_, err = tool.NewRegistry(made) // alone, so that the error has its line
	}
	if wrong, ok := errors.AsType[*jsonx.FieldError](err); ok {
		b.fail(at+fieldOf(wrong.Path), "%v", err)
		return nil
	}
	if !b.sound(at, err) {
		return nil
	}
	return made
}

// fieldOf returns where in a tool of the file a field of an HTTP tool stands.
func fieldOf(field string) string {
	switch field {
	case "inputSchema":
		return ".input"
	case "payloadPointer":
		return ".payload"
	case "resultPointer":
		return ".result"
	case "name", "url", "method", "timeout", "body", "result", "headers", "sign", "sources", "state":
		return "." + field
	}
	return "" // said elsewhere in the file
}

// splitHeaders separates header templates, which use the caller and the place, from plain headers.
// A secret is never a template.
func splitHeaders(headers map[string]Secret) (plain map[string]Secret, templates map[string]string) {
	plain, templates = map[string]Secret{}, map[string]string{}
	for name, value := range headers {
		if strings.Contains(string(value), "{{") {
			templates[name] = string(value)
			continue
		}
		plain[name] = value
	}
	return plain, templates
}

// bindAt checks where bound arguments get their values from.
func (b *builder) bindAt(field string, bind map[string]string) map[string]tool.Source {
	out := map[string]tool.Source{}
	for arg, from := range bind {
		source, err := tool.ParseSource(from)
		if !b.sound(jsonPath(field, arg), err) {
			continue
		}
		out[arg] = source
	}
	return out
}

func (b *builder) signAt(field string, s *Sign) *httptool.Sign {
	if s == nil {
		return nil
	}
	secret, _ := b.secretAt(field+".secret", s.Secret)
	return &httptool.Sign{Secret: secret, Send: s.Send}
}

func policyOf(approval string, sequential bool, perMinute int, openArgs ...string) tool.Policy {
	p := tool.Policy{Sequential: sequential, Rate: limit.PerMinute(perMinute), OpenArgs: openArgs}
	if approval != "policy" {
		p.Approval = tool.Approval(approval)
	}
	return p
}

// EgressPolicy returns what the file says of the addresses that may be reached.
func (f *File) EgressPolicy() egress.Policy {
	return Section(f.Egress).policy()
}

// PushEgressPolicy returns what the file says of the addresses that push notifications may reach:
// users choose these, so that what tools may reach does not count, and refusals tell no more than
// that.
func (f *File) PushEgressPolicy() egress.Policy {
	p := Section(f.PushEgress).policy()
	p.Fixed = true
	return p
}

func (e Egress) policy() egress.Policy {
	return egress.Policy{Hosts: e.Hosts, Private: e.Private, Ports: e.Ports}
}

// unlisted stands in for the tools that pages name of MCP servers that were not asked, be it for
// Options.Offline or for a problem found before, and that no pin file describes: a page may name
// them, but nothing is known of them.
func (b *builder) unlisted(known []*tool.Tool) (tools []*tool.Tool) {
	if !b.Offline && b.site.MCP != nil {
		return nil
	}
	seen := map[string]bool{}
	for _, t := range known {
		seen[t.Name] = true
	}
	for _, name := range b.File.namedTools() {
		server, _, ofServer := strings.Cut(name, "__")
		if _, described := b.MCP[server]; !ofServer || !described || seen[name] {
			continue
		}
		seen[name] = true
		tools = append(tools, &tool.Tool{
			Name: name, Description: "Not known: its MCP server was not started.",
			InputSchema: json.RawMessage(`{"type":"object"}`),
			Handler: func(context.Context, *tool.Call) (tool.Result, error) {
				return tool.Result{}, errors.New("its MCP server was not started")
			},
		})
	}
	return tools
}

// namedTools are the names of tools on pages.
func (f *File) namedTools() (names []string) {
	for _, a := range f.areas() {
		names = append(names, a.Tools...)
		for _, action := range a.Actions {
			if action.Tool != "" {
				names = append(names, action.Tool)
			}
		}
	}
	return names
}
