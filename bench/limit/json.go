package main

import (
	"bytes"
)

// ---------- a minimal JSON scanner (trusts its input: this is a yardstick) ----------

func skipWS(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

func strEnd(b []byte, i int) int { // b[i]=='"'; index after the closing quote
	i++
	for {
		j := bytes.IndexByte(b[i:], '"')
		if j < 0 {
			return len(b)
		}
		k := i + j
		n := 0
		for k-1-n >= i && b[k-1-n] == '\\' {
			n++
		}
		i = k + 1
		if n%2 == 0 {
			return i
		}
	}
}

func valEnd(b []byte, i int) int {
	switch b[i] {
	case '"':
		return strEnd(b, i)
	case '{', '[':
		d := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				i = strEnd(b, i)
				continue
			case '{', '[':
				d++
			case '}', ']':
				d--
				if d == 0 {
					return i + 1
				}
			}
			i++
		}
		return i
	}
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' {
		i++
	}
	return i
}

func eachField(b []byte, f func(k, v []byte)) {
	i := skipWS(b, 0)
	if i >= len(b) || b[i] != '{' {
		return
	}
	i++
	for {
		i = skipWS(b, i)
		if i >= len(b) || b[i] == '}' {
			return
		}
		if b[i] == ',' {
			i++
			continue
		}
		e := strEnd(b, i)
		k := b[i+1 : e-1]
		i = skipWS(b, e)
		i = skipWS(b, i+1) // ':'
		e = valEnd(b, i)
		f(k, bytes.TrimSpace(b[i:e]))
		i = e
	}
}

func eachElem(b []byte, f func(v []byte)) {
	i := skipWS(b, 0)
	if i >= len(b) || b[i] != '[' {
		return
	}
	i++
	for {
		i = skipWS(b, i)
		if i >= len(b) || b[i] == ']' {
			return
		}
		if b[i] == ',' {
			i++
			continue
		}
		e := valEnd(b, i)
		f(b[i:e])
		i = e
	}
}

// buildReq turns a RunAgentInput into an upstream body without its tail
// (`],"tools":[...]}`), which comes separately so that the tool loop can append.
func buildReq(in, out, tail []byte) (o, t, thread, run []byte) {
	var messages, tools, ctx []byte
	eachField(in, func(k, v []byte) {
		switch string(k) {
		case "threadId":
			thread = v
		case "runId":
			run = v
		case "messages":
			messages = v
		case "tools":
			tools = v
		case "context":
			ctx = v
		}
	})
	out = append(out, `{"model":"`...)
	out = append(out, *model...)
	out = append(out, `","stream":true,"messages":[`...)
	n := 0
	if len(ctx) > 2 {
		out = append(out, `{"role":"system","content":"`...)
		eachElem(ctx, func(v []byte) {
			eachField(v, func(k, v []byte) {
				if len(v) > 2 && v[0] == '"' {
					out = append(out, v[1:len(v)-1]...)
					out = append(out, `\n`...)
				}
			})
		})
		out = append(out, `"}`...)
		n++
	}
	eachElem(messages, func(v []byte) {
		if n > 0 {
			out = append(out, ',')
		}
		n++
		out = append(out, '{')
		m := 0
		eachField(v, func(k, v []byte) {
			key := string(k)
			switch key {
			case "role", "content", "name":
			case "toolCalls":
				key = "tool_calls"
			case "toolCallId":
				key = "tool_call_id"
			default:
				return
			}
			if m > 0 {
				out = append(out, ',')
			}
			m++
			out = append(out, '"')
			out = append(out, key...)
			out = append(out, '"', ':')
			out = append(out, v...)
		})
		out = append(out, '}')
	})
	tail = append(tail, `],"tools":[`+toolDef...)
	eachElem(tools, func(v []byte) {
		tail = append(tail, `,{"type":"function","function":`...)
		tail = append(tail, v...)
		tail = append(tail, '}')
	})
	tail = append(tail, `],"stream_options":{"include_usage":true}}`...)
	return out, tail, thread, run
}
