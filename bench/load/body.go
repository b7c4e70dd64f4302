package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// ---------- request bodies ----------

func lorem(n int) string {
	const s = "The quick brown fox, having read \"chapter 3\" of the manual,\\n jumps over the lazy dog & files a report. "
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(s)
	}
	r := b.String()[:n]
	if strings.HasSuffix(r, "\\") {
		r = r[:n-1] + "x"
	}
	return r
}

type obj = map[string]any

func toolDefs(n int) []any {
	ts := []any{}
	for i := range n {
		ts = append(ts, obj{
			"name":        fmt.Sprintf("client_tool_%d", i),
			"description": "Shows a card to the user and waits for the user's answer. Use it when " + lorem(120),
			"parameters": obj{
				"type": "object",
				"properties": obj{
					"title":    obj{"type": "string", "description": "the title of the card"},
					"count":    obj{"type": "integer", "description": "how many rows to show"},
					"mode":     obj{"type": "string", "enum": []any{"compact", "wide", "full"}},
					"tags":     obj{"type": "array", "items": obj{"type": "string"}},
					"position": obj{"type": "object", "properties": obj{"x": obj{"type": "number"}, "y": obj{"type": "number"}}, "required": []any{"x", "y"}},
				},
				"required": []any{"title", "mode"},
			},
		})
	}
	return ts
}

// msgs: n messages, alternating user and assistant, the last one user's.
func msgs(n, size int, uiParts bool) []any {
	var ms []any
	for i := range n {
		role := "user"
		if (n-1-i)%2 == 1 {
			role = "assistant"
		}
		t := fmt.Sprintf("message %d: ", i) + lorem(size-12)
		m := obj{"id": fmt.Sprintf("msg-%04d", i), "role": role}
		if uiParts {
			m["parts"] = []any{obj{"type": "text", "text": t}}
		} else {
			m["content"] = t
		}
		ms = append(ms, m)
	}
	return ms
}

func bodyRest(proto string, nmsg, msgSize, ntool, nctx, ctxSize int) []byte {
	o := obj{"messages": msgs(nmsg, msgSize, proto == "aisdk"), "tools": toolDefs(ntool)}
	cs := []any{}
	for i := range nctx {
		cs = append(cs, obj{"description": fmt.Sprintf("context item %d", i), "value": lorem(ctxSize)})
	}
	o["context"] = cs
	o["state"] = obj{}
	o["forwardedProps"] = obj{}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(o)
	return bytes.TrimSuffix(bytes.TrimSpace(b.Bytes()), []byte("}"))[1:]
}
