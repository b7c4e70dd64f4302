package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/test/must"
)

// TestMCPOverStandardInput: an MCP client that starts the program lists its agents, asks one and is
// told how it goes, cancels, and leaves.
func TestMCPOverStandardInput(t *testing.T) {
	rules := "script/" + fileOf(t, "rules.yaml", `
name: test
rules:
  - {match: '^for ever', steps: [{text: one two three, delay: 10m, chunk: 3}]}
  - {match: '.*', steps: [{text: Hello.}]}
`)
	config := fileOf(t, "pageside.yaml", `
dropIns: [mcp]
agents: [{id: first, description: Greets., model: `+rules+`}, {id: second, model: `+rules+`}]
`)
	var complaints strings.Builder
	command := exec.CommandContext(t.Context(), os.Args[0], "mcp", "--config", config,
		"--store", newStore(t), "--as", "ann", "--agent", "first")
	command.Stderr, command.Env = &complaints, append(os.Environ(), asProgram+"=1")
	heard := make(chan string, 10)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) { heard <- req.Params.Message },
	})
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 1 || list.Tools[0].Name != "ask_first" || !strings.Contains(list.Tools[0].Description, "Greets.") {
		t.Fatalf("offered are %v, %v", list, err)
	}
	ask := func(ctx context.Context, text string) (*sdk.CallToolResult, error) {
		p := &sdk.CallToolParams{Name: "ask_first", Arguments: map[string]any{"question": text}}
		p.SetProgressToken(text)
		return session.CallTool(ctx, p)
	}
	r, err := ask(t.Context(), "hi")
	if err != nil || r.IsError || r.Content[0].(*sdk.TextContent).Text != "Hello." || <-heard != "Hello." {
		t.Errorf("the answer is %+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-heard; cancel() }()
	if _, err := ask(ctx, "for ever"); err == nil {
		t.Error("a call that was cancelled has a result")
	}
	if r, err := ask(t.Context(), "hi"); err != nil || r.IsError {
		t.Errorf("the answer after a cancelled call is %+v, %v", r, err)
	}
	must.Be(t, session.Close(), nil, "the program ends with")
	has(t, complaints.String(), "!level=WARN", "!level=ERROR", "!panic")
}
