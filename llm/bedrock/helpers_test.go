package bedrock_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/bedrock"
	"github.com/pageside/pageside/test/streams"
)

// answer is a stream folded.
type answer struct {
	text, reasoning string
	opaque          []string
	calls           []call
	finish          llm.Finish
	usage           llm.Usage
	parts           []llm.Part
	err             *llm.Error
}

type call struct {
	id, name, args string
	index          int
	ended          bool
}

// ask makes one call and folds what comes, checking the rules every stream must keep.
func ask(t testing.TB, ctx context.Context, m llm.Model, req *llm.Request) (a answer) {
	t.Helper()
	for part, err := range m.Stream(ctx, req) {
		if a.err != nil || a.finish != "" {
			t.Fatalf("something follows the end: %+v, %v", part, err)
		}
		if err != nil {
			e, ok := err.(*llm.Error)
			if !ok {
				t.Fatalf("error of type %T: %v", err, err)
			}
			a.err = e
			continue
		}
		a.take(t, part)
	}
	if a.err == nil && a.finish == "" {
		t.Fatal("the stream ended with neither a finish nor an error")
	}
	return a
}

func (a *answer) take(t testing.TB, part llm.Part) {
	t.Helper()
	if part.Kind == llm.Pause && (len(a.parts) == 0 || a.parts[len(a.parts)-1].Kind == llm.Pause) {
		t.Fatal("a Pause with nothing before it")
	}
	a.parts = append(a.parts, part)
	switch part.Kind {
	case llm.TextDelta:
		a.text += part.Delta
	case llm.ReasoningDelta:
		a.reasoning += part.Delta
	case llm.Opaque:
		a.opaque = append(a.opaque, part.Opaque)
	case llm.ToolStart:
		if part.ID == "" || part.Name == "" {
			t.Fatalf("a call without id or name: %+v", part)
		}
		a.calls = append(a.calls, call{id: part.ID, name: part.Name, index: part.Index})
	case llm.ToolArgs:
		a.call(t, part).args += part.Delta
	case llm.ToolEnd:
		a.call(t, part).ended = true
	case llm.UsagePart:
		a.usage = *part.Usage
	case llm.FinishPart:
		a.finish = part.Finish
	}
}

func (a *answer) call(t testing.TB, part llm.Part) *call {
	t.Helper()
	for i := range a.calls {
		if a.calls[i].index == part.Index && !a.calls[i].ended {
			return &a.calls[i]
		}
	}
	t.Fatalf("%+v belongs to no open call", part)
	return nil
}

func (a *answer) kind() llm.ErrorKind {
	if a.err == nil {
		return ""
	}
	return a.err.Kind
}

var hello = &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: []llm.Content{llm.Text{Text: "hello"}}}}}

// transport answers requests without a network.
type transport func(*http.Request) (*http.Response, error)

func (f transport) Do(r *http.Request) (*http.Response, error) { return f(r) }

func respondWith(status int, header http.Header, body io.Reader) transport {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(body), Request: r}, nil
	}
}

func respond(body io.Reader) transport {
	return respondWith(200, http.Header{"Content-Type": {"application/vnd.amazon.eventstream"}}, body)
}

// player is one model that answers each call with the body set before it: reading the AWS
// configuration takes milliseconds.
type player struct {
	model llm.Model
	body  io.Reader
}

func newPlayer() *player {
	p := &player{}
	p.model = model(func(r *http.Request) (*http.Response, error) { return respond(p.body)(r) })
	return p
}

func (p *player) play(t testing.TB, body io.Reader) answer {
	t.Helper()
	p.body = body
	return ask(t, t.Context(), p.model, hello)
}

// keys are credentials that are nobody's.
var keys = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "AKIAIOSFODNN7EXAMPLE", SecretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}, nil
})

const claude = "us.anthropic.claude-3-7-sonnet-20250219-v1:0"

func model(client transport) *bedrock.Model {
	return bedrock.New(bedrock.Config{Model: claude, Region: "us-east-1", Credentials: keys, HTTPClient: client})
}

// frames writes events, each a JSON object of one member, as the service does.
func frames(t testing.TB, events ...string) []byte {
	t.Helper()
	var buf bytes.Buffer
	for _, e := range events {
		var one map[string]json.RawMessage
		if err := json.Unmarshal([]byte(e), &one); err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		for kind, payload := range one {
			message := "event"
			if strings.HasSuffix(kind, "Exception") {
				message = "exception"
			}
			frame(t, &buf, ":message-type", message, ":"+message+"-type", kind, payload)
		}
	}
	return buf.Bytes()
}

// exception is a frame that tells of a failure.
func exception(t testing.TB, kind, message string) []byte {
	t.Helper()
	var buf bytes.Buffer
	payload, _ := json.Marshal(map[string]string{"message": message})
	frame(t, &buf, ":message-type", "exception", ":exception-type", kind, payload)
	return buf.Bytes()
}

func frame(t testing.TB, w io.Writer, name1, value1, name2, value2 string, payload []byte) {
	t.Helper()
	msg := eventstream.Message{Payload: payload}
	msg.Headers.Set(name1, eventstream.StringValue(value1))
	msg.Headers.Set(name2, eventstream.StringValue(value2))
	msg.Headers.Set(":content-type", eventstream.StringValue("application/json"))
	if err := eventstream.NewEncoder().Encode(w, msg); err != nil {
		t.Fatal(err)
	}
}

// cutReader gives n bytes a read.
type cutReader struct {
	data []byte
	n    int
	end  error // at the end; nil is io.EOF
}

func (r *cutReader) Read(p []byte) (int, error) {
	if len(r.data) == 0 {
		if r.end != nil {
			return 0, r.end
		}
		return 0, io.EOF
	}
	n := copy(p, r.data[:min(r.n, len(r.data))])
	r.data = r.data[n:]
	return n, nil
}

// play feeds events to the adapter.
func play(t testing.TB, events ...string) answer {
	t.Helper()
	return ask(t, t.Context(), model(respond(bytes.NewReader(frames(t, events...)))), hello)
}

// recording is one recorded stream, as the documents it is made of.
type recording struct {
	name   string
	events []string
}

// recordings returns streams: our own, and recorded ones where there are some.
func recordings(t *testing.T) (all []recording) {
	t.Helper()
	found := streams.Read(t, "testdata", "streams")
	if root, ok := streams.Recorded(t); ok {
		found = append(found, streams.Read(t, root, "chunks", "amazon-bedrock")...)
	}
	for _, s := range found {
		all = append(all, recording{strings.TrimSuffix(s.Name, ".chunks"), strings.Split(strings.TrimSpace(s.Body), "\n")})
	}
	return all
}

// count makes a token count.
func count(p *int64) int64 {
	if p == nil {
		return -1
	}
	return *p
}
