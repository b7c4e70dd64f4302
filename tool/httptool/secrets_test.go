package httptool_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
)

// TestALoggedFailureHasNoSecret: the error of a failed request names its address, and a secret may
// stand there.
func TestALoggedFailureHasNoSecret(t *testing.T) {
	e := serve(t)
	c := e.config("/v1/{{.id}}?key=s3cr3t-token")
	c.Secrets = []string{"s3cr3t-token"}
	ready := register(t, c)
	e.Close()
	var log bytes.Buffer
	r := tool.Execute(t.Context(), ready, tool.Call{ID: "c1", Args: []byte(`{"id":"a1"}`), Log: slog.New(slog.NewTextHandler(&log, nil))}, nil)
	if !r.IsError || !strings.Contains(log.String(), "an HTTP tool's request failed") || !strings.Contains(log.String(), "/v1/a1?key=***") {
		t.Errorf("the log says %q, the result is %q", log.String(), r.Text)
	}
	must.Lack(t, log.String()+r.Text, "s3cr3t", "what is shown")
}

// TestUndeclaredArgumentsAreNotSent: what the model adds on its own gets to no endpoint, neither at
// the top nor in an object, unless the schema permits it.
func TestUndeclaredArgumentsAreNotSent(t *testing.T) {
	e := serve(t)
	const declared = `{"type":"object","properties":{"to":{"type":"string"},"user":{"type":"object","properties":{"name":{"type":"string"}}},"free":{"type":"object"}}}`
	try := func(schema, args string) (string, error) {
		c := e.config("/send")
		c.Method, c.InputSchema = "POST", []byte(schema)
		ready := register(t, c)
		parsed, err := tool.ParseArgs(args, ready.Schema())
		if err != nil {
			return "", err
		}
		e.last = nil
		tool.Execute(t.Context(), ready, tool.Call{ID: "c1", Args: parsed}, nil)
		return e.last.body, nil
	}
	for _, args := range []string{`{"to":"ann","secret":"x"}`, `{"to":"ann","user":{"name":"a","role":"admin"}}`} {
		must.Fail(t, must.Err(try(declared, args)), "unknown", "%s", args)
	}
	must.Fail(t, must.Err(try("", `{"role":"admin"}`)), "", "a tool without arguments")
	for schema, args := range map[string]string{
		declared: `{"to":"ann","user":{"name":"a"},"free":{"any":1}}`,
		`{"type":"object","additionalProperties":true}`: `{"role":"admin"}`,
	} {
		must.Be(t, must.Get(try(schema, args))(t), args, "what is sent")
	}
}
