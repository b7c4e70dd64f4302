package config

import (
	"fmt"
	"strings"
	"sync"

	"github.com/pageside/pageside/internal/nearest"
)

// meantKey names the key of a type that was probably meant, or says what does the same elsewhere,
// or lists the known keys. target is the key that was meant, "" if none comes near. has reports
// whether a key is there already.
func meantKey(key, owner string, known []string, has func(string) bool) (target, advice string) {
	word := spelling(key)
	target, advice = aliases()[owner][word], elsewhere[owner][word]
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
	for _, alias := range keys(aliases()[owner]) {
		if best == "" && len(alias) >= 4 && nearest.Distance(word, alias) == 1 { // paramters
			best = aliases()[owner][alias]
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
var aliases = sync.OnceValue(func() map[string]map[string]string { return wordsOf(aliasLines) })

var aliasLines = map[string]string{
	"File": `
		mcp: mcpservers servers; models: providers llm llms; agents: assistants; listen: address addr host
		port; store: database db storage; origins: cors allowedorigins; payloads: cards; tools: functions
		actions; auth: authentication; egress: network; pages: places`,
	"Auth": `
		mode: type kind; apiKeys: keys tokens; oidc: openid oauth; proxy: header headers; forward: session
		sessions cookie cookies`,
	"Model": `
		key: apikey token secret; baseUrl: url endpoint apibase host; use: model name id provider; fallback:
		fallbacks; contextWindow: contextlength maxcontext context; prices: cost pricing; images: vision;
		parallelTools: parallel paralleltoolcalls; strictTools: strict; payloads: cards`,
	"Prices": `input: in prompt; output: out completion; cacheRead: cached cachedinput`,
	"Agent": `
		id: name; instructions: systemprompt system prompt; model: llm use; maxSteps: maxiterations maxturns
		steps; maxToolCalls: paralleltoolcalls; choices: models modelchoices; whenBusy: onbusy busy
		onconcurrentrun; url: endpoint uri agenturl; protocol: version; silence: timeout`,
	"Choice":      `model: use id; label: name title; efforts: effort reasoning`,
	"Approvals":   `expiry: timeout expires ttl expiresin`,
	"Suggestions": `model: use llm; keepFor: ttl cache; every: rate`,
	"Tool": `
		input: parameters inputschema schema args; url: endpoint uri path; method: httpmethod; result:
		response output; approval: requiresapproval confirm; payloadType: card`,
	"A2AAgent": `
		url: endpoint uri agenturl card; description: prompt; approval: confirm requiresapproval`,
	"MCPServer": `
		env: environment; dir: cwd workingdirectory workdir; command: cmd; args: arguments; url: endpoint
		uri serverurl; allow: tools allowedtools; startTimeout: connecttimeout startuptimeout starttime
		inittimeout; timeout: calltimeout tooltimeout`,
	"Egress":     `hosts: allow allowed allowlist allowedhosts domains; private: allowprivate`,
	"Payload":    `name: type id; schema: parameters input; instructions: prompt`,
	"Page":       `name: id path route; instructions: prompt; payloads: cards; title: label`,
	"Tab":        `name: id path; instructions: prompt; payloads: cards; subtabs: tabs`,
	"Area":       `name: id path; instructions: prompt; payloads: cards`,
	"Action":     `name: id`,
	"Suggestion": `label: title text name; value: message prompt send`,
	"Runs":       `whenBusy: onbusy busy; timeout: maxtime; keepEvents: retention`,
	"Limits": `
		body: maxbody bodysize maxbodysize; runs: maxruns concurrency; user: principal users; requests:
		rates`,
	"UserLimits":   `tokensPerDay: tokens; dollarsPerDay: dollars cost budget; runs: concurrency`,
	"TenantLimits": `tokensPerDay: tokens; dollarsPerDay: dollars cost budget; runs: concurrency`,
	"RunLimits":    `dollars: cost budget; tokens: maxtokens`,
	"Rate":         `perMinute: rate limit rpm max`,
}

// wordsOf reads a table of types, each as "key: word word; key: word", into the keys by type and
// word.
func wordsOf(table map[string]string) map[string]map[string]string {
	all := map[string]map[string]string{}
	for owner, lines := range table {
		all[owner] = map[string]string{}
		for line := range strings.SplitSeq(lines, ";") {
			key, words, _ := strings.Cut(line, ":")
			for word := range strings.FieldsSeq(words) {
				all[owner][word] = strings.TrimSpace(key)
			}
		}
	}
	return all
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
	"Agent": {
		"tools": "tools are offered where a page names them, and everywhere with global: true",
		"pages": "pages stand beside agents, and hold for all of them",
	},
	"Tool":      {"alwaysallow": unasked, "autoapprove": unasked},
	"A2AAgent":  {"alwaysallow": unasked, "autoapprove": unasked},
	"MCPServer": {"alwaysallow": unasked, "autoapprove": unasked},
	"Payload":   {"type": "its name is the type that cards have on the wire"},
}
