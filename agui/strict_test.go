package agui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
)

// input wraps fields into a run request that is otherwise right.
func input(fields string) string {
	return `{"threadId":"t","runId":"r",` + fields + `}`
}

func msgs(message string) string { return input(`"messages":[` + message + `]`) }

func TestRunInputIsDecodedStrictly(t *testing.T) {
	const ok = `"messages":[]`
	for name, c := range map[string]struct{ body, want string }{
		"empty body":             {``, `unexpected end, a value is missing`},
		"not JSON":               {`hello`, `unexpected 'h', expected a value`},
		"not an object":          {`[]`, `must be an object, got an array`},
		"trailing data":          {input(ok) + `{}`, `unexpected '{' after the end`},
		"cut off":                {`{"threadId":"t`, `unexpected end inside a string`},
		"no thread":              {`{"runId":"r","messages":[]}`, `threadId: is required`},
		"no messages":            {`{"threadId":"t","runId":"r"}`, `messages: is required`},
		"null run id":            {`{"threadId":"t","runId":null,"messages":[]}`, `runId: must be a string, got null`},
		"null tools":             {input(ok + `,"tools":null`), `tools: must be an array, got null`},
		"null protocol version":  {input(ok + `,"protocolVersion":null`), `protocolVersion: must be a string, got null`},
		"number for a string":    {input(ok + `,"parentRunId":7`), `parentRunId: must be a string, got a number`},
		"object for a list":      {input(`"messages":{}`), `messages: must be an array, got an object`},
		"duplicate key":          {input(ok + `,"runId":"x"`), `runId: stands twice in one object`},
		"escaped duplicate key":  {input(ok + `,"run\u0049d":"x"`), `runId: stands twice in one object`},
		"nested duplicate":       {input(ok + `,"state":{"a":[{"b":1,"b":2}]}`), `state.a[0].b: stands twice in one object`},
		"other case":             {input(ok + `,"THREADID":"x"`), `THREADID: must be spelled threadId`},
		"other case, long s":     {input(ok + `,"toolſ":[]`), `["toolſ"]: must be spelled tools`},
		"other case, inside":     {msgs(`{"id":"1","role":"user","content":"","Metadata":{}}`), `messages[0].Metadata: must be spelled metadata`},
		"invalid UTF-8":          {input(ok + `,"state":"` + "\xff" + `"`), `state: invalid UTF-8`},
		"surrogate UTF-8":        {input(ok + `,"state":"` + "\xed\xa0\x80" + `"`), `state: invalid UTF-8`},
		"lone surrogate":         {input(ok + `,"state":["\ud800"]`), `state[0]: a surrogate stands alone`},
		"wrong pair":             {input(ok + `,"state":"\ud800\ud800"`), `state: a surrogate stands alone`},
		"NUL":                    {input(ok + `,"state":"\u0000"`), `state: the character U+0000 is not allowed`},
		"control character":      {input(ok + `,"state":"` + "\x01" + `"`), `state: a control character inside a string is not escaped`},
		"proto in state":         {input(ok + `,"state":{"a":{"__proto__":{}}}`), `state.a.__proto__: this key is not allowed`},
		"escaped proto":          {input(ok + `,"state":{"\u005f_proto__":{}}`), `state.__proto__: this key is not allowed`},
		"constructor":            {input(ok + `,"forwardedProps":{"constructor":{"prototype":{}}}`), `forwardedProps.constructor: this key is not allowed`},
		"proto in metadata":      {msgs(`{"id":"1","role":"user","content":"","metadata":{"prototype":1}}`), `messages[0].metadata.prototype: this key is not allowed`},
		"tool named proto":       {input(ok + `,"tools":[{"name":"__proto__","description":""}]`), `tools[0].name: must not be __proto__`},
		"tool without a name":    {input(ok + `,"tools":[{"description":""}]`), `tools[0].name: is required`},
		"tool metadata":          {input(ok + `,"tools":[{"name":"a","description":"","metadata":null}]`), `tools[0].metadata: must be an object, got null`},
		"context without value":  {input(ok + `,"context":[{"description":"d","value":"v"},{"description":"d"}]`), `context[1].value: is required`},
		"resume status":          {input(ok + `,"resume":[{"interruptId":"i","status":"maybe"}]`), `resume[0].status: must be resolved or cancelled, got "maybe"`},
		"too deep":               {input(ok + `,"state":` + strings.Repeat("[", 64)), `nested deeper than 64 levels`},
		"message not an object":  {msgs(`"hi"`), `messages[0]: must be an object, got a string`},
		"message without a role": {msgs(`{"id":"1","content":""}`), `messages[0].role: is required`},
		"role of a number":       {msgs(`{"id":"1","role":5}`), `messages[0].role: must be a string, got a number`},
		"unknown role":           {msgs(`{"id":"1","role":"bot"}`), `messages[0].role: must be developer or system or assistant or user or tool or activity or reasoning, got "bot"`},
		"null content":           {msgs(`{"id":"1","role":"assistant","content":null}`), `messages[0].content: must be a string, got null`},
		"parts of an assistant":  {msgs(`{"id":"1","role":"assistant","content":[]}`), `messages[0].content: must be a string, got an array`},
		"user without content":   {msgs(`{"id":"1","role":"user"}`), `messages[0].content: is required`},
		"tool without call":      {msgs(`{"id":"1","role":"tool","content":""}`), `messages[0].toolCallId: is required`},
		"activity content":       {msgs(`{"id":"1","role":"activity","activityType":"A","content":"x"}`), `messages[0].content: must be an object, got a string`},
		"call's type":            {msgs(`{"id":"1","role":"assistant","toolCalls":[{"id":"c","type":"fn","function":{"name":"n","arguments":""}}]}`), `messages[0].toolCalls[0].type: must be function, got "fn"`},
		"half a character": {msgs(`{"id":"1","role":"assistant","toolCalls":[{"id":"c","type":"` + strings.Repeat("x", 38) + `ü","function":{"name":"n","arguments":""}}]}`),
			`messages[0].toolCalls[0].type: must be function, got "` + strings.Repeat("x", 38) + "…"},
		"call's function":     {msgs(`{"id":"1","role":"assistant","toolCalls":[{"id":"c","type":"function"}]}`), `messages[0].toolCalls[0].function: is required`},
		"call's name":         {msgs(`{"id":"1","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":3,"arguments":""}}]}`), `messages[0].toolCalls[0].function.name: must be a string, got a number`},
		"call's arguments":    {msgs(`{"id":"1","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"","arguments":{}}}]}`), `messages[0].toolCalls[0].function.arguments: must be a string, got an object`},
		"unknown part":        {msgs(`{"id":"1","role":"user","content":[{"type":"text","text":""},{"type":"poem"}]}`), `messages[0].content[1].type: must be text or image or audio or video or document, got "poem"`},
		"part without text":   {msgs(`{"id":"1","role":"user","content":[{"type":"text"}]}`), `messages[0].content[0].text: is required`},
		"part without source": {msgs(`{"id":"1","role":"user","content":[{"type":"image"}]}`), `messages[0].content[0].source: is required`},
		"source without type": {msgs(`{"id":"1","role":"user","content":[{"type":"image","source":{"type":"data","value":""}}]}`), `messages[0].content[0].source.mimeType: is required`},
		"source's value":      {msgs(`{"id":"1","role":"user","content":[{"type":"image","source":{"type":"url","value":1}}]}`), `messages[0].content[0].source.value: must be a string, got a number`},
		"binary by id":        {msgs(`{"id":"1","role":"user","content":[{"type":"binary","mimeType":"image/png","id":"f"}]}`), `messages[0].content[0]: a binary part must have data or a url`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := UnmarshalRunAgentInput([]byte(c.body))
			field, ok := errors.AsType[*FieldError](err)
			if !ok || !strings.HasSuffix(field.Error(), c.want) {
				t.Errorf("%s\n got  %v\n want %s", c.body, err, c.want)
			}
		})
	}
}

// What peers of version 0.x may send is taken as what they mean.
func TestNullsOfOlderClientsAreAbsent(t *testing.T) {
	in, err := UnmarshalRunAgentInput([]byte(`{"threadId":"t","runId":"r","state":null,"forwardedProps":null,"unknown":{"a":null},
		"messages":[{"id":"1","role":"user","extra":1,"content":[{"type":"image","source":{"type":"url","value":"u"},"metadata":null}]}],
		"tools":[{"name":"a","description":"","parameters":null}],
		"resume":[{"interruptId":"i","status":"resolved","payload":null}]}`))
	must.Do(t, err)
	if in.State != nil || in.ForwardedProps != nil || in.Tools[0].Parameters != nil || in.Resume[0].Payload != nil {
		t.Fatalf("%+v", in)
	}
	out := must.Get(MarshalRunAgentInput(in))(t)
	validateAgainst(t, schema(t, "RunAgentInput"), out)
	for _, doc := range []string{
		`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n","parentMessageId":null}`,
		`{"type":"TOOL_CALL_CHUNK","parentMessageId":null}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":null,"result":null,"rawEvent":null}`,
		`{"type":"SUBAGENT_FINISHED","subagentRunId":"s","result":null}`,
	} {
		e, err := UnmarshalEvent([]byte(doc))
		if err != nil {
			t.Errorf("%s: %v", doc, err)
			continue
		}
		if out, err := MarshalEvent(e); err != nil || strings.Contains(string(out), "null") {
			t.Errorf("%s: written as %s, %v", doc, out, err)
		}
	}
}

func TestEventsAreDecodedStrictly(t *testing.T) {
	for doc, want := range map[string]string{
		`{}`:                          `type: is required`,
		`{"type":7}`:                  `type: must be a string, got a number`,
		`{"type":"PARTY"}`:            `type: "PARTY" is not an event of AG-UI 1.0`,
		`{"type":"THINKING_START"}`:   `type: "THINKING_START" is not an event of AG-UI 1.0`,
		`{"type":"RUN_ERROR"}`:        `message: is required`,
		`{"TYPE":"RUN_ERROR"}`:        `type: is required`,
		`{"type":"CUSTOM","name":1}`:  `name: must be a string, got a number`,
		`{"type":"CUSTOM","name":""}`: `value: is required`,
		`{"type":"RUN_ERROR","message":"","timestamp":null}`:                                                             `timestamp: must be a number, got null`,
		`{"type":"RUN_ERROR","message":"","timestamp":1.5}`:                                                              `timestamp: must be a whole number from -9007199254740991 to 2^53-1, got 1.5`,
		`{"type":"RUN_ERROR","message":"","timestamp":1e300}`:                                                            `timestamp: must be a whole number from -9007199254740991 to 2^53-1, got 1e300`,
		`{"type":"RUN_ERROR","message":"","metadata":null}`:                                                              `metadata: must be an object, got null`,
		`{"type":"RUN_ERROR","message":"","code":null}`:                                                                  `code: must be a string, got null`,
		`{"type":"TEXT_MESSAGE_START","messageId":"m","name":null}`:                                                      `name: must be a string, got null`,
		`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"tool"}`:                                                    `role: must be developer or system or assistant or user, got "tool"`,
		`{"type":"REASONING_MESSAGE_START","messageId":"m","role":"assistant"}`:                                          `role: must be reasoning, got "assistant"`,
		`{"type":"REASONING_MESSAGE_START","messageId":"m"}`:                                                             `role: is required`,
		`{"type":"ACTIVITY_SNAPSHOT","messageId":"m","activityType":"A","content":[]}`:                                   `content: must be an object, got an array`,
		`{"type":"ACTIVITY_SNAPSHOT","messageId":"m","activityType":"A","content":{},"replace":1}`:                       `replace: must be a boolean, got a number`,
		`{"type":"STATE_DELTA","delta":{}}`:                                                                              `delta: must be an array, got an object`,
		`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a"}]}`:                                                      `delta[0].value: is required`,
		`{"type":"STATE_DELTA","delta":[{"op":"remove","path":"a"}]}`:                                                    `delta[0].path: must be empty or start with /`,
		`{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/a~2"}]}`:                                                 `delta[0].path: has a ~ that is neither ~0 nor ~1`,
		`{"type":"STATE_DELTA","delta":[{"op":"move","path":"/a"}]}`:                                                     `delta[0].from: is required`,
		`{"type":"STATE_DELTA","delta":[{"op":"merge","path":"/a"}]}`:                                                    `delta[0].op: must be add, remove, replace, move, copy or test, got "merge"`,
		`{"type":"STATE_DELTA","delta":[{"op":"copy","from":"/constructor","path":"/a"}]}`:                               `delta[0].from: must not pass through constructor`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"lost"}}`:                                   `outcome.type: must be success or interrupt or cancelled, got "lost"`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[]}}`:              `outcome.interrupts: must not be empty`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success","pendingToolCallIds":["a",1]}}`:   `outcome.pendingToolCallIds[1]: must be a string, got a number`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","usage":[{"inputTokens":-1}]}`:                                `usage[0].inputTokens: must be a whole number from 0 to 2^53-1, got -1`,
		`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":null}`:                                                 `input: must be an object, got null`,
		`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"1"}]}}`: `input.messages[0].role: is required`,
	} {
		_, err := UnmarshalEvent([]byte(doc))
		field, ok := errors.AsType[*FieldError](err)
		if !ok || field.Error() != want {
			t.Errorf("%s\n got  %v\n want %s", doc, err, want)
		}
	}
}

func TestTooManyUnknownPropertiesAreRefused(t *testing.T) {
	var b strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&b, `"k%d":0,`, i)
	}
	_, err := UnmarshalRunAgentInput([]byte(input(b.String() + `"messages":[]`)))
	if err == nil || err.Error() != "has more than 1000 properties that are not known" {
		t.Fatal(err)
	}
}

func TestUnknownPropertiesAreDropped(t *testing.T) {
	e, err := UnmarshalEvent([]byte(`{"x":[{"type":"RUN_ERROR"}],"type":"TEXT_MESSAGE_END","":0,"messageId":"m","y":{"__proto__":1}}`))
	must.Do(t, err)
	if out, err := MarshalEvent(e); err != nil || string(out) != `{"type":"TEXT_MESSAGE_END","messageId":"m"}` {
		t.Fatalf("got %s, %v", out, err)
	}
}

func TestBinaryPartsBecomeMediaParts(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"binary","mimeType":"image/png","data":"AA=="}`:                          `{"type":"image","source":{"type":"data","value":"AA==","mimeType":"image/png"}}`,
		`{"type":"binary","mimeType":"audio/mp3","url":"http://a/b"}`:                     `{"type":"audio","source":{"type":"url","value":"http://a/b","mimeType":"audio/mp3"}}`,
		`{"type":"binary","mimeType":"video/mp4","data":"AA==","url":"u"}`:                `{"type":"video","source":{"type":"data","value":"AA==","mimeType":"video/mp4"}}`,
		`{"type":"binary","mimeType":"text/csv","data":"AA==","filename":"a\"b.csv"}`:     `{"type":"document","source":{"type":"data","value":"AA==","mimeType":"text/csv"},"metadata":{"filename":"a\"b.csv"}}`,
		`{"type":"text","text":"a"},{"type":"binary","mimeType":"image/gif","data":"AA"}`: `{"type":"text","text":"a"},{"type":"image","source":{"type":"data","value":"AA","mimeType":"image/gif"}}`,
		// A client in between sends both: the old part repeats the new one.
		`{"type":"binary","mimeType":"image/gif","data":"AA"},{"type":"image","source":{"type":"data","value":"AA","mimeType":"image/gif"},"metadata":{"filename":"a"}}`: `{"type":"image","source":{"type":"data","value":"AA","mimeType":"image/gif"},"metadata":{"filename":"a"}}`,
		// It does not repeat one that lacks its file name.
		`{"type":"binary","mimeType":"image/gif","data":"AA","filename":"a"},{"type":"image","source":{"type":"data","value":"AA","mimeType":"image/gif"}}`: `{"type":"image","source":{"type":"data","value":"AA","mimeType":"image/gif"},"metadata":{"filename":"a"}},{"type":"image","source":{"type":"data","value":"AA","mimeType":"image/gif"}}`,
	} {
		got, err := UnmarshalRunAgentInput([]byte(msgs(`{"id":"1","role":"user","content":[` + in + `]}`)))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if content := string(got.Messages[0].Content.Raw()); content != "["+want+"]" {
			t.Errorf("%s\n got  %s\n want [%s]", in, content, want)
		}
	}
}

func TestContent(t *testing.T) {
	parts := PartsContent([]ContentPart{{Type: PartText, Text: "a\n"}, {Type: PartImage, Source: &Source{Type: SourceURL, Value: "u"}}, {Type: PartText, Text: "ü"}})
	for _, c := range []struct {
		content Content
		text    string
		parts   int
	}{
		{Content{}, "", 0},
		{TextContent("a\"ü\x00\xff"), "a\"ü\uFFFD\uFFFD", 1},
		{parts, "a\nü", 3},
		{RawContent([]byte(`"raw\u00e9"`)), "rawé", 1},
	} {
		list, err := c.content.Parts()
		if got := c.content.Text(); got != c.text || len(list) != c.parts || err != nil {
			t.Errorf("%s: text %q, parts %v, %v", c.content.Raw(), got, list, err)
		}
	}
	if _, err := RawContent([]byte(`7`)).Parts(); err == nil {
		t.Error("a number is no content")
	}
}
