package bedrock_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/bedrock"
	"github.com/pageside/pageside/llm/httpmodel"
	"github.com/pageside/pageside/llm/llmtest"
)

const claude = "us.anthropic.claude-3-7-sonnet-20250219-v1:0"

// keys are credentials that are nobody's.
var keys = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "AKIAIOSFODNN7EXAMPLE", SecretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}, nil
})

var vendor = llmtest.Vendor{
	New: func(s llmtest.Setup) llm.Model {
		cfg := bedrock.Config{Model: cmp.Or(s.With["model"], claude), Region: "us-east-1", Credentials: keys, BaseURL: s.URL, Limits: s.Limits}
		if s.Client != nil {
			cfg.HTTPClient = s.Client
		}
		return bedrock.New(cfg)
	},
	Said:     frames(said(0, "a")),
	More:     frames(said(0, "a")),
	Finished: frames(stop("end_turn")),
	Over:     frames(stop("end_turn"), `{"metadata":{"usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}}}`),
	Called:   frames(`{"contentBlockStart":{"start":{"toolUse":{"toolUseId":"call_1","name":"f"}}}}`, stop("tool_use")),
	Frame:    func(doc string) string { return frames(doc) },
	Binary:   true,
	Recorded: recorded,
	Read:     readPlain,
	Waits:    llmtest.Waits{Headers: httpmodel.Patience, First: httpmodel.Patience, Idle: time.Minute},
}

func model(client llmtest.Transport) *bedrock.Model {
	return bedrock.New(bedrock.Config{Model: claude, Region: "us-east-1", Credentials: keys, HTTPClient: client})
}

// frames writes events, each a JSON object of one member, as the service does.
func frames(events ...string) (stream string) {
	for _, e := range events {
		frame, err := llmtest.Frame(e)
		if err != nil {
			panic(err)
		}
		stream += frame
	}
	return stream
}

// events are those of a stream as frames takes them.
func events(t *testing.T, stream string) (docs []string) {
	t.Helper()
	in := strings.NewReader(stream)
	for {
		frame, err := eventstream.NewDecoder().Decode(in, nil)
		if err == io.EOF {
			return docs
		}
		if err != nil {
			t.Fatal(err)
		}
		kind := frame.Headers.Get(":" + frame.Headers.Get(":message-type").String() + "-type")
		docs = append(docs, fmt.Sprintf(`{%q:%s}`, kind, frame.Payload))
	}
}

// play feeds events to the adapter.
func play(t testing.TB, events ...string) llmtest.Answer {
	t.Helper()
	return vendor.Play(t, strings.NewReader(frames(events...)))
}
