package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/nearest"
	"github.com/pageside/pageside/internal/strict"
)

// maxWrong bounds how many values of the wrong type are reported at once: each is one more pass.
const maxWrong = 50

// decode reads a document into the file and reports what cannot be read. Keys that the file does
// not have count as the ones that were meant, and values of the wrong type as missing, so that the
// problems of the rest are found too.
func (s *Source) decode(raw []byte) Errors {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var doc any
	if dec.Decode(&doc) != nil {
		doc = nil // the strict decoder has a better message
	}
	var problems Errors
	s.pruneValue("", doc, reflect.TypeFor[File](), &problems)
	for range maxWrong {
		if rest, err := json.Marshal(doc); err == nil && doc != nil {
			raw = rest
		}
		s.File = File{}
		e, ok := errors.AsType[*strict.Error](strict.Decode(raw, &s.File))
		if !ok {
			return problems
		}
		problems = append(problems, s.error(e.Field, "%s", s.howToWrite(e.Field, e.Reason)))
		if !remove(doc, "", e.Field) {
			return problems
		}
	}
	return problems
}

// remove sets the value at a path to null, and reports whether there was one.
func remove(v any, at, path string) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			switch here := jsonx.Join(at, jsonx.KeyPath(key)); {
			case here == path && value != nil:
				v[key] = nil
				return true
			case remove(value, here, path):
				return true
			}
		}
	case []any:
		for i, value := range v {
			switch here := at + jsonx.Index(i); {
			case here == path && value != nil:
				v[i] = nil
				return true
			case remove(value, here, path):
				return true
			}
		}
	}
	return false
}

func (s *Source) pruneValue(path string, v any, t reflect.Type, problems *Errors) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := v.(type) {
	case []any:
		if t.Kind() == reflect.Slice && t != reflect.TypeFor[Object]() {
			for i, item := range v {
				s.pruneValue(path+jsonx.Index(i), item, t.Elem(), problems)
			}
		}
	case map[string]any:
		switch t.Kind() {
		case reflect.Map:
			for name, value := range v {
				s.pruneValue(jsonx.Join(path, jsonx.KeyPath(name)), value, t.Elem(), problems)
			}
		case reflect.Struct:
			s.pruneObject(path, v, t, problems)
		}
	}
}

func (s *Source) pruneObject(path string, object map[string]any, t reflect.Type, problems *Errors) {
	known := fields(t)
	for _, key := range keys(object) {
		if _, ok := known[key]; ok {
			continue
		}
		at, value := jsonx.Join(path, jsonx.KeyPath(key)), object[key]
		delete(object, key)
		target, advice := meantKey(key, t, object)
		*problems = append(*problems, s.error(at, "unknown key; %s", advice))
		if _, has := object[target]; target != "" && !has {
			object[target] = value
			s.moveLines(at, jsonx.Join(path, jsonx.KeyPath(target)))
		}
	}
	for _, key := range keys(object) {
		s.pruneValue(jsonx.Join(path, jsonx.KeyPath(key)), object[key], known[key], problems)
	}
}

// moveLines makes the lines of a value those of another path too.
func (s *Source) moveLines(from, to string) {
	for path, line := range maps.Clone(s.lines) {
		if inside(path, from) {
			s.lines[to+path[len(from):]] = line
		}
	}
}

// meantKey names the key that was probably meant, or says what does the same elsewhere, or lists
// the keys of the type. target is the key that was meant, "" if none comes near.
func meantKey(key string, t reflect.Type, object map[string]any) (target, advice string) {
	known := keys(fields(t))
	word := spelling(key)
	target, advice = aliases[t.Name()][word], elsewhere[t.Name()][word]
	if _, has := object[target]; advice != "" && (target == "" || has) {
		return "", advice
	}
	if target != "" {
		return target, fmt.Sprintf("did you mean %s?", target)
	}
	best, distance := "", 3
	for _, name := range known {
		other := spelling(name)
		d := nearest.Distance(word, other)
		if shorter := min(len(word), len(other)); d > 1 && shorter >= 4 && (strings.HasPrefix(word, other) || strings.HasPrefix(other, word)) {
			d = 2 // instruction, timeoutSeconds
		}
		if d < distance && d <= (len(word)+1)/2 {
			best, distance = name, d
		}
	}
	for _, alias := range keys(aliases[t.Name()]) {
		if best == "" && len(alias) >= 4 && nearest.Distance(word, alias) == 1 { // paramters
			best = aliases[t.Name()][alias]
		}
	}
	if best != "" {
		return best, fmt.Sprintf("did you mean %s?", best)
	}
	return "", "the keys here are " + strings.Join(known, ", ")
}

// spelling normalises a key: base_url, base-url and baseURL are the same.
func spelling(key string) string {
	if len(key) > 64 {
		key = key[:64] // too long for any key
	}
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))
}

// aliases are the words that people and other products use for keys of a type, in normalised
// spelling.
var aliases = map[string]map[string]string{
	"File": {
		"mcpservers": "mcp", "servers": "mcp", "providers": "models", "llm": "models", "llms": "models", "assistants": "agents",
		"address": "listen", "addr": "listen", "host": "listen", "port": "listen", "database": "store", "db": "store", "storage": "store",
		"cors": "origins", "allowedorigins": "origins", "cards": "payloads", "functions": "tools", "actions": "tools",
		"authentication": "auth", "network": "egress", "places": "pages",
	},
	"Auth": {
		"type": "mode", "kind": "mode", "keys": "apiKeys", "tokens": "apiKeys", "openid": "oidc", "oauth": "oidc", "header": "proxy", "headers": "proxy",
		"session": "forward", "sessions": "forward", "cookie": "forward", "cookies": "forward",
	},
	"Model": {
		"apikey": "key", "token": "key", "secret": "key", "url": "baseUrl", "endpoint": "baseUrl", "apibase": "baseUrl", "host": "baseUrl",
		"model": "use", "name": "use", "id": "use", "provider": "use", "fallbacks": "fallback", "contextlength": "contextWindow",
		"maxcontext": "contextWindow", "context": "contextWindow", "cost": "prices", "pricing": "prices", "vision": "images",
		"parallel": "parallelTools", "paralleltoolcalls": "parallelTools", "strict": "strictTools", "cards": "payloads",
	},
	"Prices": {"in": "input", "prompt": "input", "out": "output", "completion": "output", "cached": "cacheRead", "cachedinput": "cacheRead"},
	"Agent": {
		"name": "id", "systemprompt": "instructions", "system": "instructions", "prompt": "instructions", "llm": "model", "use": "model",
		"maxiterations": "maxSteps", "maxturns": "maxSteps", "steps": "maxSteps", "paralleltoolcalls": "maxToolCalls",
		"models": "choices", "modelchoices": "choices",
		"onbusy": "whenBusy", "busy": "whenBusy", "onconcurrentrun": "whenBusy",
		"endpoint": "url", "uri": "url", "agenturl": "url", "version": "protocol", "timeout": "silence",
	},
	"Choice":      {"use": "model", "id": "model", "name": "label", "title": "label", "effort": "efforts", "reasoning": "efforts"},
	"Approvals":   {"timeout": "expiry", "expires": "expiry", "ttl": "expiry", "expiresin": "expiry"},
	"Suggestions": {"use": "model", "llm": "model", "ttl": "keepFor", "cache": "keepFor", "rate": "every"},
	"Tool": {
		"parameters": "input", "inputschema": "input", "schema": "input", "args": "input", "endpoint": "url", "uri": "url", "path": "url",
		"httpmethod": "method", "response": "result", "output": "result", "requiresapproval": "approval", "confirm": "approval", "card": "payloadType",
	},
	"A2AAgent": {"endpoint": "url", "uri": "url", "agenturl": "url", "card": "url", "prompt": "description", "confirm": "approval", "requiresapproval": "approval"},
	"MCPServer": {
		"environment": "env", "cwd": "dir", "workingdirectory": "dir", "workdir": "dir", "cmd": "command", "arguments": "args", "endpoint": "url",
		"uri": "url", "serverurl": "url", "tools": "allow", "allowedtools": "allow",
		"connecttimeout": "startTimeout", "startuptimeout": "startTimeout", "starttime": "startTimeout", "inittimeout": "startTimeout",
		"calltimeout": "timeout", "tooltimeout": "timeout",
	},
	"Egress":       {"allow": "hosts", "allowed": "hosts", "allowlist": "hosts", "allowedhosts": "hosts", "domains": "hosts", "allowprivate": "private"},
	"Payload":      {"type": "name", "id": "name", "parameters": "schema", "input": "schema", "prompt": "instructions"},
	"Page":         {"id": "name", "path": "name", "route": "name", "prompt": "instructions", "cards": "payloads", "label": "title"},
	"Tab":          {"id": "name", "path": "name", "prompt": "instructions", "cards": "payloads", "tabs": "subtabs"},
	"Area":         {"id": "name", "path": "name", "prompt": "instructions", "cards": "payloads"},
	"Action":       {"id": "name"},
	"Suggestion":   {"title": "label", "text": "label", "name": "label", "message": "value", "prompt": "value", "send": "value"},
	"Runs":         {"onbusy": "whenBusy", "busy": "whenBusy", "maxtime": "timeout", "retention": "keepEvents"},
	"Limits":       {"maxbody": "body", "bodysize": "body", "maxbodysize": "body", "maxruns": "runs", "concurrency": "runs", "principal": "user", "users": "user", "rates": "requests"},
	"UserLimits":   {"tokens": "tokensPerDay", "dollars": "dollarsPerDay", "cost": "dollarsPerDay", "budget": "dollarsPerDay", "concurrency": "runs"},
	"TenantLimits": {"tokens": "tokensPerDay", "dollars": "dollarsPerDay", "cost": "dollarsPerDay", "budget": "dollarsPerDay", "concurrency": "runs"},
	"RunLimits":    {"cost": "dollars", "budget": "dollars", "maxtokens": "tokens"},
	"Rate":         {"rate": "perMinute", "limit": "perMinute", "rpm": "perMinute", "max": "perMinute"},
}

// What runs unasked is said of a tool, or of all tools of a server.
const unasked = "approval: never lets its calls run unasked, and effect: read those that change nothing"

// agentsOwn says where the text stands that an agent is told.
const agentsOwn = "it is said of an agent: agents: [{id: default, instructions: …}]"

// elsewhere says what does what people expect of a key that a type does not have, in normalised
// spelling.
var elsewhere = map[string]map[string]string{
	"File": {
		"prompt": agentsOwn, "systemprompt": agentsOwn, "system": agentsOwn,
		"server": "listen is the address, such as 127.0.0.1:8420; servers of tools stand under mcp",
	},
	"Auth": {
		"jwt":  "tokens of an OpenID provider are oidc, those that your application signs are signed",
		"jwks": "oidc finds the keys of its issuer; those of your application are signed",
	},
	"Agent":     {"tools": "tools are offered where a page names them, and everywhere with global: true", "pages": "pages stand beside agents, and hold for all of them"},
	"Tool":      {"alwaysallow": unasked, "autoapprove": unasked},
	"A2AAgent":  {"alwaysallow": unasked, "autoapprove": unasked},
	"MCPServer": {"alwaysallow": unasked, "autoapprove": unasked},
	"Payload":   {"type": "its name is the type that cards have on the wire"},
}

var (
	ofModel      = regexp.MustCompile(`^models\.[^.]+$`)
	ofApproval   = regexp.MustCompile(`^(?:tools\[\d+\]|mcp\..+|a2a\..+)\.approval$`)
	ofBody       = regexp.MustCompile(`^tools\[\d+\]\.body$`)
	ofSuggestion = regexp.MustCompile(`\bsuggestions\[\d+\]$`)
)

// howToWrite adds to a reason how the value is written in YAML.
func (s *Source) howToWrite(field, reason string) string {
	_, isList := s.lines[field+jsonx.Index(0)]
	switch {
	case reason == "must be a string" && isList && strings.HasPrefix(field, "mcp.") && strings.HasSuffix(field, ".command"):
		return reason + ": the program alone; its arguments go in args: [...]"
	case reason == "must be a string" && ofApproval.MatchString(field):
		return reason + ": never, always or policy"
	case reason == "must be a string" && ofBody.MatchString(field):
		return reason + `: a template, such as '{"room": {{ .room }}}'`
	case reason == "must be a string" && !isList && !slices.Contains(s.parents(), field):
		return reason + `: put it in quotes`
	case reason == "must be an array":
		return reason + ": [a, b], or lines that begin with -"
	case reason == "must be an object" && ofModel.MatchString(field):
		return reason + ": {use: provider/name}"
	case reason == "must be an object" && ofSuggestion.MatchString(field):
		return reason + ": {label: what the button says, value: what it sends}"
	case reason == "must be an object":
		return reason + ": lines of key: value"
	}
	return reason
}

// parents returns the paths of all values that hold others.
func (s *Source) parents() (all []string) {
	for path := range s.lines {
		all = append(all, parent(path))
	}
	return all
}
