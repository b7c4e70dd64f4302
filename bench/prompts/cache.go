package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// unit is the least piece of a request that a cache tells apart here: a tool, a block of the system
// prompt, a piece of a message.
type unit struct {
	text string
	mark bool // a breakpoint follows
}

// body is a request in JSON.
type body map[string]any

// prefix is the hash of the beginning of a request.
type prefix [sha256.Size]byte

// lookback is how many blocks before a breakpoint Claude looks for the end of a prefix that it has.
const lookback = 20

// cache is a provider's, which forgets nothing: the calls of a conversation follow each other
// within minutes.
type cache struct {
	breakpoints  bool
	kept         map[prefix]bool
	sent, cached int // bytes
}

// take counts a request and keeps it.
func (c *cache) take(units []unit) {
	begins := make([]prefix, len(units))
	var before prefix
	for i, u := range units {
		before = sha256.Sum256(append(before[:], u.text...))
		begins[i] = before
	}
	found := -1
	for i, u := range units {
		if c.breakpoints && !u.mark {
			continue
		}
		for at := i; at > found && at > i-lookback; at-- {
			if c.kept[begins[at]] {
				found = at
			}
		}
	}
	for i, u := range units {
		c.sent += len(u.text)
		if i <= found {
			c.cached += len(u.text)
		}
		if u.mark || !c.breakpoints {
			c.kept[begins[i]] = true
		}
	}
}

// list returns the objects in a member that is a list; none where it is missing.
func (b body) list(name string) (items []body) {
	all, _ := b[name].([]any)
	for _, item := range all {
		if object, ok := item.(map[string]any); ok {
			items = append(items, object)
		}
	}
	return items
}

// object returns a member that is an object; an empty one where it is missing.
func (b body) object(name string) body {
	object, _ := b[name].(map[string]any)
	return object
}

// unit is the object in the place where it stands.
func (b body) unit(where string) unit {
	_, mark := b["cache_control"]
	delete(b, "cache_control")
	raw, err := json.Marshal(b)
	if err != nil {
		panic(err) // it was JSON before
	}
	return unit{where + string(raw), mark}
}

func unitsOf(where string, items []body) (all []unit) {
	for _, item := range items {
		if _, point := item["cachePoint"]; point && len(all) > 0 {
			all[len(all)-1].mark = true
			continue
		}
		all = append(all, item.unit(where))
	}
	return all
}

func anthropicUnits(b body) []unit {
	all := append(unitsOf("tool", b.list("tools")), unitsOf("system", b.list("system"))...)
	for _, m := range b.list("messages") {
		all = append(all, unitsOf(fmt.Sprint(m["role"]), m.list("content"))...)
	}
	return all
}

func bedrockUnits(b body) []unit {
	all := append(unitsOf("tool", b.object("toolConfig").list("tools")), unitsOf("system", b.list("system"))...)
	for _, m := range b.list("messages") {
		all = append(all, unitsOf(fmt.Sprint(m["role"]), m.list("content"))...)
	}
	return all
}

func geminiUnits(b body) []unit {
	all := unitsOf("system", b.object("systemInstruction").list("parts"))
	for _, t := range b.list("tools") {
		all = append(all, unitsOf("tool", t.list("functionDeclarations"))...)
	}
	for _, c := range b.list("contents") {
		all = append(all, unitsOf(fmt.Sprint(c["role"]), c.list("parts"))...)
	}
	return all
}

func responsesUnits(b body) []unit {
	all := append(unitsOf("tool", b.list("tools")), body{"instructions": b["instructions"]}.unit("system"))
	return append(all, unitsOf("item", b.list("input"))...)
}

// chatUnits takes messages apart into their pieces, for the breakpoints among them.
func chatUnits(b body) []unit {
	all := unitsOf("tool", b.list("tools"))
	for _, m := range b.list("messages") {
		role := fmt.Sprint(m["role"], m["tool_call_id"])
		if text, plain := m["content"].(string); plain {
			all = append(all, body{"type": "text", "text": text}.unit(role))
		}
		all = append(append(all, unitsOf(role, m.list("content"))...), unitsOf(role, m.list("tool_calls"))...)
	}
	return all
}
