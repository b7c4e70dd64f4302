package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/nearest"
)

// prune removes the keys that the file does not have from a document, and reports each. The rest
// can be decoded, so that its problems are found in the same pass.
func (s *Source) prune(raw []byte) ([]byte, Errors) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var doc any
	if dec.Decode(&doc) != nil {
		return raw, nil // the strict decoder has a better message
	}
	var problems Errors
	s.pruneValue("", doc, reflect.TypeFor[File](), &problems)
	if len(problems) == 0 {
		return raw, nil
	}
	rest, err := json.Marshal(doc)
	if err != nil {
		return raw, problems
	}
	return rest, problems
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
	for key, value := range object {
		at := jsonx.Join(path, jsonx.KeyPath(key))
		if field, ok := known[key]; ok {
			s.pruneValue(at, value, field, problems)
			continue
		}
		delete(object, key)
		*problems = append(*problems, s.error(at, "unknown key; %s", meantKey(key, t, object)))
	}
}

// meantKey names the key that was probably meant, or says what does the same elsewhere, or lists
// the keys of the type.
func meantKey(key string, t reflect.Type, object map[string]any) string {
	known := keys(fields(t))
	word := spelling(key)
	target, advice := aliases[t.Name()][word], elsewhere[t.Name()][word]
	if _, has := object[target]; advice != "" && (target == "" || has) {
		return advice
	}
	if target != "" {
		return fmt.Sprintf("did you mean %s?", target)
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
		return fmt.Sprintf("did you mean %s?", best)
	}
	return "the keys here are " + strings.Join(known, ", ")
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
	"Auth": {"type": "mode", "kind": "mode"},
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
		"onbusy": "whenBusy", "busy": "whenBusy", "onconcurrentrun": "whenBusy",
		"endpoint": "url", "uri": "url", "agenturl": "url", "version": "protocol", "timeout": "silence",
	},
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

// elsewhere says what does what people expect of a key that a type does not have, in normalised
// spelling.
var elsewhere = map[string]map[string]string{
	"Agent":     {"tools": "tools are offered where a page names them, and everywhere with global: true", "pages": "pages stand beside agents, and hold for all of them"},
	"Tool":      {"alwaysallow": unasked, "autoapprove": unasked},
	"A2AAgent":  {"alwaysallow": unasked, "autoapprove": unasked},
	"MCPServer": {"alwaysallow": unasked, "autoapprove": unasked},
	"Payload":   {"type": "its name is the type that cards have on the wire"},
}

// howToWrite adds to a reason how the value is written in YAML.
func (s *Source) howToWrite(field, reason string) string {
	_, isList := s.lines[field+jsonx.Index(0)]
	switch {
	case reason == "must be a string" && isList && strings.HasPrefix(field, "mcp.") && strings.HasSuffix(field, ".command"):
		return reason + ": the program alone; what follows it stands in args: [...]"
	case reason == "must be a string" && !isList && !slices.Contains(s.parents(), field):
		return reason + `: put it in quotes`
	case reason == "must be an array":
		return reason + ": [a, b], or lines that begin with -"
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
