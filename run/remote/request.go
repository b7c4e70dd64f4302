package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/internal/sse"
	"github.com/pageside/pageside/internal/upstream"
	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/httptool/signed"
)

// post sends the run's input. Waiting for the answer counts as silence.
func (a *Agent) post(ctx context.Context, watch *upstream.Watch, in run.Input) (*http.Response, error) {
	body, err := a.body(in)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.URL, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	for name, value := range a.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Accept-Encoding", "identity") // events are not to wait for a compressor
	if a.Sign != nil {
		caller := &tool.Call{
			Principal: in.Principal, Origin: tool.Origin{Place: in.Place.ToolPlace(), Scope: in.Place.Scope},
		}
		if err := signed.Sign(req, body, caller.DisclosedJSON(a.Sign.Send...), a.Sign.Secret); err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
	}
	watch.Begin()
	defer watch.End()
	return a.client.Do(req)
}

// body returns the run's input as AG-UI has it.
func (a *Agent) body(in run.Input) ([]byte, error) {
	out := &agui.RunAgentInput{
		ThreadID: in.ThreadID, RunID: in.RunID, ParentRunID: in.ParentRunID, ProtocolVersion: agui.ProtocolVersion,
		State: in.State, Tools: slices.Clone(in.Tools), Context: in.Context, ForwardedProps: in.ForwardedProps,
		Resume: in.Resume,
	}
	if out.State == nil {
		out.State = json.RawMessage("{}")
	}
	if out.ForwardedProps == nil {
		out.ForwardedProps = json.RawMessage("{}")
	}
	if told := slices.Concat(in.Instructions, in.ClientInstructions); len(told) > 0 {
		out.Messages = append(out.Messages, agui.Message{
			ID: "pageside:instructions", Role: agui.RoleSystem,
			Content: agui.TextContent(strings.Join(told, "\n\n")),
		})
	}
	for _, m := range in.Messages {
		if m.Role != agui.RoleActivity { // clients keep those to themselves
			out.Messages = append(out.Messages, m)
		}
	}
	for i := range out.Tools {
		out.Tools[i].Metadata = agui.ClientMetadata(out.Tools[i].Metadata)
	}
	if a.Protocol == AGUI0 {
		simplify(out)
	}
	return agui.MarshalRunAgentInput(out)
}

// simplify leaves out what AG-UI 0.x does not know. Results in parts become text.
func simplify(in *agui.RunAgentInput) {
	in.ProtocolVersion, in.ParentRunID = "", ""
	for i := range in.Tools {
		in.Tools[i].Metadata = nil
		if in.Tools[i].Parameters == nil {
			in.Tools[i].Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
	}
	in.Messages = slices.DeleteFunc(in.Messages, func(m agui.Message) bool { return m.Role == agui.RoleReasoning })
	for i := range in.Messages {
		m := &in.Messages[i]
		m.Metadata, m.EncryptedValue, m.SubagentRunID = nil, "", ""
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for j := range m.ToolCalls {
			m.ToolCalls[j].Metadata, m.ToolCalls[j].EncryptedValue = nil, ""
		}
		if m.Role == agui.RoleTool && !m.Content.IsText() {
			m.Content = agui.TextContent(m.Content.Text())
		}
	}
	for i := range in.Context {
		in.Context[i].Source, in.Context[i].Type = "", ""
	}
}

// Codes of what can go wrong with a remote agent, beside those of run.Agent.
const (
	codeUnreachable = "agent_unreachable"
	codeNotAllowed  = "agent_not_allowed"
	codeRefused     = "agent_refused"
	codeNotFound    = "agent_not_found"
	codeBusy        = "agent_busy"
	codeUnavailable = "agent_unavailable"
	codeRejected    = "agent_rejected"
	codeProtocol    = "agent_protocol"
	codeStalled     = "agent_stalled"
	codeBrokeOff    = "agent_broke_off"
	codeTooMuch     = "agent_too_much"
	codeError       = "agent_error"
	codeCancelled   = "agent_cancelled"
)

// fail returns a failure that names the agent. Its message may be shown; cause is for the log.
func (a *Agent) fail(code string, cause error, format string, args ...any) error {
	if cause != nil {
		cause = errors.New(a.secrets.Replace(cause.Error())) // an error of net/http repeats the URL
	}
	return &run.Failure{
		Code: code, Message: fmt.Sprintf("the agent %q ", a.ID) + fmt.Sprintf(format, args...), Err: cause,
	}
}

// maxRefusal bounds what is kept of an answer that is no stream, for the log.
const maxRefusal = 2 << 10

// checkResponse returns the failure for an answer that is no stream of events.
func (a *Agent) checkResponse(watch *upstream.Watch, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
		if media == "text/event-stream" {
			return nil
		}
		return a.fail(codeProtocol, nil, "answered with %q instead of an event stream: is its address right?",
			visible.Cut(media, 80))
	}
	said, _ := watch.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // what has arrived says enough
	status := resp.StatusCode
	cause := fmt.Errorf("%d %s: %q", status, http.StatusText(status), a.secrets.Replace(string(said)))
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return a.fail(codeRefused, cause, "refused this server's credentials (%d)", status)
	case status == http.StatusNotFound:
		return a.fail(codeNotFound, cause, "is not at its address (404)")
	case status == http.StatusTooManyRequests:
		return a.fail(codeBusy, cause, "has too many requests (429): try again later")
	case status >= http.StatusInternalServerError:
		return a.fail(codeUnavailable, cause, "does not work at the moment (%d)", status)
	case status >= http.StatusBadRequest:
		return a.fail(codeRejected, cause, "did not accept the request (%d)", status)
	case status >= http.StatusMultipleChoices:
		return a.fail(codeProtocol, cause, "answered with a redirect (%d), which is not followed", status)
	}
	return a.fail(codeProtocol, cause, "answered with the status %d instead of an event stream", status)
}

// failure returns the failure for a request or a stream that broke off. ctx is the run's.
func (a *Agent) failure(ctx context.Context, watch *upstream.Watch, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, ok := errors.AsType[*run.Failure](err); ok {
		return err
	}
	switch {
	case watch.Stalled():
		return a.fail(codeStalled, err, "said nothing for %s", a.Silence)
	case errors.Is(err, egress.ErrTooLarge):
		return a.fail(codeTooMuch, err, "said more than %d bytes", a.MaxBytes)
	case errors.Is(err, sse.ErrTooLong):
		return a.fail(codeTooMuch, err, "sent an event of more than %d bytes", maxEvent)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), isCut(err):
		return a.fail(codeBrokeOff, err, "broke off in the middle of its answer")
	}
	if _, refused := errors.AsType[*egress.Error](err); refused {
		return a.fail(codeNotAllowed, err, "has an address that the server's configuration does not allow to reach")
	}
	return a.fail(codeUnreachable, err, "could not be reached")
}

// isCut reports whether the connection ended while the answer was read: an error of the request
// itself is a *url.Error.
func isCut(err error) bool {
	_, asking := errors.AsType[*url.Error](err)
	_, ended := errors.AsType[*net.OpError](err)
	return ended && !asking
}
