package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/lazy"
	"github.com/pageside/pageside/internal/nearest"
	"github.com/pageside/pageside/payload"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/mcptool"
)

// checker collects problems beyond the structure of a file.
type checker struct {
	*Source
	problems Errors
}

// check finds every problem that shows in the file alone.
func (s *Source) check() Errors {
	c := &checker{Source: s}
	c.server()
	c.auth()
	c.models()
	c.agents()
	c.tools()
	c.pageTools()
	c.a2a()
	c.servers()
	c.payloads()
	c.permissions()
	c.audit()
	return c.problems
}

func (c *checker) fail(field, format string, args ...any) {
	c.problems = append(c.problems, c.error(field, format, args...))
}

// sound reports an error about a field, if there is one, and whether there is none.
func (c *checker) sound(field string, err error) bool {
	if err != nil {
		c.fail(field, "%v", err)
	}
	return err == nil
}

// soundField is sound for an error that may name a field of what stands at a path. Its name is the
// key there.
func (c *checker) soundField(at string, err error) bool {
	if wrong, ok := errors.AsType[*jsonx.FieldError](err); ok {
		if err = errors.New(wrong.Reason); wrong.Path != "name" {
			at += "." + wrong.Path
		}
	}
	return c.sound(at, err)
}

// server checks where the server listens, whom it serves and where it keeps threads.
func (c *checker) server() {
	for i, origin := range c.Origins {
		c.sound(fmt.Sprintf("origins[%d]", i), CheckOrigin(origin))
	}
	if c.Listen != "" {
		c.sound("listen", CheckListen(c.Listen, c.Authenticates()))
	}
	c.known("askInWords", "drop-in", c.AskInWords, c.DropIns)
	if Section(c.Sharing) && !c.Authenticates() {
		c.fail("sharing", "needs auth: without it everybody is one user, and there is nobody to share with")
	}
	if c.Store != "" {
		c.sound("store", CheckStore(c.Store))
	}
}

const sqliteScheme = "sqlite:"

// CheckStore reports an error unless the address of a store is sqlite:FILE. It may not have query
// parameters: they would be part of the file's name.
func CheckStore(address string) error {
	path, query, found := strings.Cut(address, "?")
	if found {
		return fmt.Errorf("query parameters, here %q, are not supported: write %s", "?"+query, path)
	}
	name, sqlite := strings.CutPrefix(address, sqliteScheme)
	if sqlite && name != "" {
		return nil
	}
	if scheme, _, found := strings.Cut(address, ":"); sqlite || address == "" || found && len(scheme) > 1 {
		return errors.New("must be sqlite:FILE")
	}
	return fmt.Errorf("must be sqlite:FILE: write %s%s", sqliteScheme, address)
}

// CheckOrigin reports an error unless origin is exactly an origin: scheme, host, and a port if it
// is not the default.
func CheckOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" ||
		u.Scheme+"://"+u.Host != origin || u.Hostname() == "*" {
		return fmt.Errorf("%q is not an origin, such as https://app.example.com or http://localhost:5173", origin)
	}
	return nil
}

// CheckListen reports an error unless a server may listen on an address: one without authentication
// only on a loopback address.
func CheckListen(address string, authenticates bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil || authenticates {
		return err
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errors.New("without authentication only loopback addresses such as 127.0.0.1 are allowed; auth says who may use the server")
	}
	return nil
}

func (c *checker) models() {
	for name, m := range c.Models {
		at := jsonPath("models", name)
		if strings.Contains(name, "/") {
			c.fail(at, "a model's name must not contain a /, which marks provider/name")
		}
		if provider, rest, ok := strings.Cut(m.Use, "/"); !ok || provider == "" || rest == "" {
			c.fail(at+".use", "must be provider/name, such as openai/gpt-5-mini")
		}
		if m.Temperature != nil && (*m.Temperature < 0 || *m.Temperature > 2) {
			c.fail(at+".temperature", "must be from 0 to 2")
		}
		for i, f := range m.Fallback {
			c.model(fmt.Sprintf("%s.fallback[%d]", at, i), f)
			if f == name {
				c.fail(fmt.Sprintf("%s.fallback[%d]", at, i), "a model cannot be its own fallback")
			}
		}
	}
}

// model checks a reference to a model.
func (c *checker) model(field, name string) {
	if strings.Contains(name, "/") || name == "" {
		return
	}
	if _, ok := c.Models[name]; !ok {
		c.fail(field, "model %q is not defined%s", name, didYouMean(name, keys(c.Models)))
	}
}

var agentID = lazy.Regexp(`^[a-zA-Z0-9_-][a-zA-Z0-9._-]{0,63}$`)

func (c *checker) agents() {
	for i, a := range c.Agents {
		at := fmt.Sprintf("agents[%d]", i)
		if !agentID().MatchString(a.ID) {
			c.fail(at+".id", "must be 1 to 64 letters, digits, _, . and -: it is part of URLs")
		}
		c.answerer(at, a)
		c.model(at+".titleModel", a.TitleModel)
	}
	if c.Suggestions != nil {
		c.model("suggestions.model", c.Suggestions.Model)
	}
}

// answerer checks who answers for an agent: a model, or an agent elsewhere. A field that only the
// other one has is refused: it would have no effect.
func (c *checker) answerer(at string, a Agent) {
	remote := a.URL != ""
	if !remote {
		c.ownModels(at, a)
	}
	state := Section(a.State)
	locally := map[string]bool{
		"model": a.Model != "", "choices": len(a.Choices) > 0, "page": a.Page != "",
		"instructions": a.Instructions != "", "askUser": a.AskUser, "maxSteps": a.MaxSteps != 0,
		"maxToolCalls": a.MaxToolCalls != 0, "maxCallsPerQuestion": a.MaxCallsPerQuestion != 0,
		"contextTokens": a.ContextTokens != 0,
		"state.model":   state.Model != "", "state.predict": len(state.Predict) > 0,
	}
	for _, name := range keys(locally) {
		if remote && locally[name] {
			c.fail(at+"."+name, "has no effect on an agent with a url, which answers by itself")
		}
	}
	remotely := map[string]bool{
		"headers": len(a.Headers) > 0, "sign": a.Sign != nil, "protocol": a.Protocol != "", "silence": a.Silence != 0,
	}
	for _, name := range keys(remotely) {
		if !remote && remotely[name] {
			c.fail(at+"."+name, "is for an agent with a url")
		}
	}
}

// ownModels checks the models of an agent that answers here.
func (c *checker) ownModels(at string, a Agent) {
	if len(a.Choices) == 0 {
		if a.Model == "" {
			c.fail(at+".model", "must not be empty")
		}
		c.model(at+".model", a.Model)
		return
	}
	if a.Model != "" {
		c.fail(at+".model", "has no effect beside choices, of which the first is the default")
	}
	for i, choice := range a.Choices {
		c.model(fmt.Sprintf("%s.choices[%d].model", at, i), choice.Model)
	}
}

func (c *checker) tools() {
	for i, t := range c.Tools {
		at := fmt.Sprintf("tools[%d]", i)
		if t.Payload != "" && t.PayloadType == "" {
			c.fail(at+".payload", "needs payloadType, the type of the card")
		}
		c.input(at+".input", t.Input)
	}
}

// input refuses a list of parameters where their JSON Schema belongs: the tool would have none.
func (c *checker) input(field string, schema Object) {
	var o map[string]json.RawMessage
	if json.Unmarshal(schema, &o) != nil || len(o) == 0 {
		return // the tool's constructor says what is wrong with it
	}
	for _, key := range []string{"type", "properties", "$ref", "allOf", "anyOf", "oneOf", "$schema"} {
		if value, has := o[key]; has && (key != "type" || value[0] == '"') {
			return
		}
	}
	c.fail(field, "must be a JSON Schema: {type: object, properties: {%s: …}}", strings.Join(keys(o), ": …, "))
}

// pageTools checks what the file says of tools of the page. One whose name is taken would never be
// offered.
func (c *checker) pageTools() {
	for i, t := range c.PageTools {
		at := fmt.Sprintf("pageTools[%d].name", i)
		switch {
		case !tool.ValidName(t.Name):
			c.fail(at, "a name is 1 to 64 letters, digits, _ and -")
		case slices.ContainsFunc(c.Tools, func(own Tool) bool { return own.Name == t.Name }):
			c.fail(at, "%q is a tool of the server, which the page cannot offer", t.Name)
		}
	}
}

func (c *checker) servers() {
	for name, m := range c.MCP {
		at := jsonPath("mcp", name)
		switch {
		case m.Command == "" && m.URL == "":
			c.fail(at, "needs a command or a url")
		case m.Command != "" && m.URL != "":
			c.fail(at, "has a command and a url; use one of them")
		case isCommandLine(m.Command) && len(m.Args) == 0:
			words := strings.Fields(m.Command)
			c.fail(at+".command", "must be the program alone: command: %s, args: [%s]", words[0],
				strings.Join(words[1:], ", "))
		}
		if t := m.StartTimeout; t != nil && *t == 0 {
			c.fail(at+".startTimeout", "must be more than 0")
		} else if t != nil && time.Duration(*t) > mcptool.MaxConnectTimeout {
			c.fail(at+".startTimeout", "must be at most 10m")
		}
	}
}

// isCommandLine reports whether a command is a program and its arguments. A program's path may have
// spaces.
func isCommandLine(command string) bool {
	if !strings.Contains(strings.TrimSpace(command), " ") {
		return false
	}
	_, err := exec.LookPath(command)
	return err != nil
}

func (c *checker) payloads() {
	for i, p := range c.Payloads {
		at := fmt.Sprintf("payloads[%d]", i)
		if p.Source != "llm" && (p.Marker != "" || p.Instructions != "") {
			c.fail(at, "has a marker or instructions, which are for source: llm")
		}
	}
}

// names are what pages may refer to.
type names struct{ tools, payloads []string }

// pages checks what the pages refer to. It runs once the tools of MCP servers are known.
func (c *checker) pages(known names) {
	for _, a := range c.areas() {
		c.area(a.at, a.Area, known)
	}
}

// placed is a page, a tab or a subtab at its path.
type placed struct {
	at string
	Area
}

// areas returns the pages, tabs and subtabs in the order of the file.
func (f *File) areas() (all []placed) {
	for i, p := range f.Pages {
		page := fmt.Sprintf("pages[%d]", i)
		all = append(all, placed{page, p.Area})
		for j, t := range p.Tabs {
			tab := fmt.Sprintf("%s.tabs[%d]", page, j)
			all = append(all, placed{tab, t.Area})
			for k, sub := range t.Subtabs {
				all = append(all, placed{fmt.Sprintf("%s.subtabs[%d]", tab, k), sub})
			}
		}
	}
	return all
}

func (c *checker) area(at string, a Area, known names) {
	c.known(at+".tools", "tool", a.Tools, known.tools)
	c.known(at+".payloads", "payload", a.Payloads, known.payloads)
	for i, action := range a.Actions {
		field := fmt.Sprintf("%s.actions[%d]", at, i)
		if (action.Handler == "server") != (action.Tool != "") {
			c.fail(field, "an action needs a tool if, and only if, its handler is server")
		}
		if action.Tool != "" {
			c.known(field+".tool", "tool", []string{action.Tool}, known.tools)
		}
	}
	for i, s := range a.Suggestions {
		if utf8.RuneCountInString(s.Label) > payload.MaxLabel {
			c.fail(fmt.Sprintf("%s.suggestions[%d].label", at, i), "must be at most %d characters", payload.MaxLabel)
		}
	}
}

func (c *checker) known(field, kind string, used, defined []string) {
	seen := map[string]bool{}
	for i, name := range used {
		at := field + jsonx.Index(i)
		if _, list := c.lines[at]; !list {
			at = field
		}
		switch {
		case !slices.Contains(defined, name):
			c.fail(at, "%s %q is not defined%s", kind, name, didYouMean(name, defined))
		case seen[name]:
			c.fail(at, "%s %q is listed twice", kind, name)
		}
		seen[name] = true
	}
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// didYouMean suggests the nearest of the names, if one is close.
func didYouMean(name string, of []string) string {
	return nearest.Question("%q", nearest.Slip(name, of))
}
