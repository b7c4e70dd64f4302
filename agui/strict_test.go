package agui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/talk"
)

// input wraps fields into a run request that is otherwise right.
func input(fields string) string {
	return `{"threadId":"t","runId":"r",` + fields + `}`
}

func msgs(message string) string { return input(`"messages":[` + message + `]`) }

// What others send is read as read.txtar says, or refused.
func TestWhatIsReadAndRefused(t *testing.T) {
	talk.Lines(t, "testdata/read.txtar", func(t *testing.T, section, doc string) []string {
		read, err := readAs(section, doc)
		if err == nil {
			return []string{string(read)}
		}
		if _, ok := errors.AsType[*FieldError](err); !ok {
			t.Errorf("%s: %v is no FieldError", doc, err)
		}
		return []string{err.Error()}
	})
}

// readAs reads what a line of read.txtar has a part of, and writes that part again.
func readAs(what, doc string) ([]byte, error) {
	switch what {
	case "more fields of an input":
		doc = input(`"messages":[],` + doc)
	case "a message of an input":
		doc = msgs(doc)
	case "a user's content, with parts that are no longer":
		in, err := UnmarshalRunAgentInput([]byte(msgs(`{"id":"1","role":"user","content":` + doc + `}`)))
		if err != nil {
			return nil, err
		}
		return in.Messages[0].Content.Raw(), nil
	case "an event":
		e, err := UnmarshalEvent([]byte(doc))
		if err != nil {
			return nil, err
		}
		return MarshalEvent(e)
	}
	in, err := UnmarshalRunAgentInput([]byte(doc))
	if err != nil {
		return nil, err
	}
	return MarshalRunAgentInput(in)
}

// What no line of a text can hold is refused as well.
func TestInputsThatAreNoTextAreRefused(t *testing.T) {
	for body, want := range map[string]string{
		``:                                   `unexpected end, a value is missing`,
		`"state":"` + "\xff" + `"`:           `state: invalid UTF-8`,
		`"state":"` + "\xed\xa0\x80" + `"`:   `state: invalid UTF-8`,
		`"state":"` + "\x01" + `"`:           `state: a control character inside a string is not escaped`,
		`"state":` + strings.Repeat("[", 64): `nested deeper than 64 levels`,
	} {
		if body != "" {
			body = input(`"messages":[],` + body)
		}
		_, err := UnmarshalRunAgentInput([]byte(body))
		field, ok := errors.AsType[*FieldError](err)
		if !ok || !strings.HasSuffix(field.Error(), want) {
			t.Errorf("%q: %v, want %s", body, err, want)
		}
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
}

func TestTooManyUnknownPropertiesAreRefused(t *testing.T) {
	var b strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&b, `"k%d":0,`, i)
	}
	_, err := UnmarshalRunAgentInput([]byte(input(b.String() + `"messages":[]`)))
	must.Be(t, must.Text(err), "has more than 1000 properties that are not known", "the error")
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
	must.Fail(t, must.Err(RawContent([]byte(`7`)).Parts()), "", "a number as content")
}
