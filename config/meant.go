package config

import (
	"fmt"
	"strings"

	"github.com/pageside/pageside/internal/nearest"
)

// meantKey names the key of a type that was probably meant, or says what does the same elsewhere, or
// lists the known keys. target is the key that was meant, "" if none comes near. has reports whether
// a key is there already.
func meantKey(key, owner string, known []string, has func(string) bool) (target, advice string) {
	word := spelling(key)
	target, advice = aliases[owner][word], elsewhere[owner][word]
	if advice != "" && (target == "" || has(target)) {
		return "", advice
	}
	if target == "" {
		target = nearestKey(word, owner, known)
	}
	if target == "" {
		return "", "the keys here are " + strings.Join(known, ", ")
	}
	return target, fmt.Sprintf("did you mean %s?", target)
}

// nearestKey returns the key whose spelling comes nearest, or that of the nearest alias, or "".
func nearestKey(word, owner string, known []string) (best string) {
	distance := 3
	for _, name := range known {
		if d := apart(word, spelling(name)); d < distance && d <= (len(word)+1)/2 {
			best, distance = name, d
		}
	}
	for _, alias := range keys(aliases[owner]) {
		if best == "" && len(alias) >= 4 && nearest.Distance(word, alias) == 1 { // paramters
			best = aliases[owner][alias]
		}
	}
	return best
}

// apart is the distance of two spellings. One that continues the other is near: instruction,
// timeoutSeconds.
func apart(a, b string) int {
	d := nearest.Distance(a, b)
	continues := strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
	if continues && min(len(a), len(b)) >= 4 {
		return min(d, 2)
	}
	return d
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
