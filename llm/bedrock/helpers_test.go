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
	"github.com/pageside/pageside/llm/llmtest"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/test/streams"
)

func respond(body io.Reader) llmtest.Transport {
	return llmtest.Respond(200, http.Header{"Content-Type": {"application/vnd.amazon.eventstream"}}, body)
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

func (p *player) play(t testing.TB, body io.Reader) llmtest.Answer {
	t.Helper()
	p.body = body
	return llmtest.Ask(t, t.Context(), p.model, llmtest.Hello)
}

// keys are credentials that are nobody's.
var keys = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "AKIAIOSFODNN7EXAMPLE", SecretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}, nil
})

const claude = "us.anthropic.claude-3-7-sonnet-20250219-v1:0"

func model(client llmtest.Transport) *bedrock.Model {
	return bedrock.New(bedrock.Config{Model: claude, Region: "us-east-1", Credentials: keys, HTTPClient: client})
}

// frames writes events, each a JSON object of one member, as the service does.
func frames(t testing.TB, events ...string) []byte {
	t.Helper()
	var buf bytes.Buffer
	for _, e := range events {
		one := must.JSON[map[string]json.RawMessage](t, e)
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
	must.Do(t, eventstream.NewEncoder().Encode(w, msg))
}

// play feeds events to the adapter.
func play(t testing.TB, events ...string) llmtest.Answer {
	t.Helper()
	return llmtest.Ask(t, t.Context(), model(respond(bytes.NewReader(frames(t, events...)))), llmtest.Hello)
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
