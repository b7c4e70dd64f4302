package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/page"
	"github.com/pageside/pageside/policy"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/run/refusal"
	"github.com/pageside/pageside/suggest"
)

// Protocol is a way to ask for runs and to read them. It only translates: its requests become runs
// through Exchange.Start, and the runs' events become its answers. Authentication, limits, audit,
// permissions and taint are therefore the server's. See docs/adr/0041.
type Protocol interface {
	Routes() []Route
	// Error returns the body of an error, as JSON is made of it, or a string for one that is plain
	// text. The status and the headers are the server's.
	Error(e *Error) any
}

// Route is one route of a protocol.
type Route struct {
	Pattern string // as of http.ServeMux, with a method
	Starts  bool   // it starts runs: it counts with them in Limits
	// Repeats means that its requests may hold messages that the thread has already: they may be as
	// large as Config.MaxRequest.
	Repeats bool
	// Relays means that what it is sent may have been written by another model: its runs begin
	// tainted.
	Relays bool
	// Words has its users asked in words: its front ends draw no interrupts.
	Words bool
	// Timestamps has the events of its runs say when they were made.
	Timestamps bool
	// Public means that anybody may use it, without credentials: there is no principal and no
	// limit. It is for what a client must know to authenticate.
	Public bool
	Handle func(*Exchange) error
}

// InWords returns a protocol whose users are asked in words: see Route.Words.
func InWords(p Protocol) Protocol { return inWords{p} }

type inWords struct{ Protocol }

func (p inWords) Routes() []Route {
	routes := slices.Clone(p.Protocol.Routes())
	for i := range routes {
		routes[i].Words = true
	}
	return routes
}

// StandardError writes errors as the rest of the API does, for protocols that do not specify them.
type StandardError struct{}

// Error is part of Protocol.
func (StandardError) Error(e *Error) any { return errorBody(e) }

// mount adds the routes of a protocol. What is below their paths is guarded like the API.
func (s *Server) mount(mux *router, p Protocol) {
	fail := func(w http.ResponseWriter, r *http.Request, err error) { s.failAs(w, r, err, p.Error) }
	for _, route := range p.Routes() {
		classes := classOf
		if route.Starts {
			classes = func(*http.Request) class { return classRuns }
		}
		handle := func(c *call) error {
			c.relayed, c.words, c.timestamps, c.repeats = route.Relays, route.Words, route.Timestamps, route.Repeats
			x := &Exchange{
				Writer: c.w, Request: c.r, Principal: c.principal, Owner: c.owner, c: c, s: s,
				admitted: route.Starts, over: func() {},
			}
			defer func() { x.over() }()
			return route.Handle(x)
		}
		_, path, _ := strings.Cut(route.Pattern, " ")
		path, _, _ = strings.Cut(path, "{")
		s.prefixes = append(s.prefixes, path)
		if route.Public {
			mux.Handle(route.Pattern, public(handle, fail))
		} else {
			mux.Handle(route.Pattern, s.answer(handle, classes, fail))
		}
	}
}

// public calls a handler for anybody.
func public(handle func(*call) error, fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := guarded(handle, &call{w: w, r: r, held: new(held)}); err != nil {
			fail(w, r, err)
		}
	})
}

// Exchange is one authenticated request to a protocol, within the limits, and what the protocol may
// do for the caller.
type Exchange struct {
	Writer    http.ResponseWriter
	Request   *http.Request
	Principal auth.Principal
	Owner     run.Owner // the principal's

	c        *call
	s        *Server
	admitted bool          // it counts with the requests that start runs
	counted  bool          // it counts as an open stream
	over     func()        // gives back the stream that is counted
	out      *sharedOutput // of Serve
	lease    lease         // of Serve
	// credentials are watched by Serve
	credentials *vigil
}

// Body reads the request's JSON.
func (x *Exchange) Body() ([]byte, error) { return x.s.readBody(x.c) }

// Decode reads the request's JSON into a struct. Its errors name the invalid field; unknown ones
// are refused.
func (x *Exchange) Decode(into any) error { return x.s.decodeBody(x.c, into) }

// Number reads a query parameter between 1 and most; 0 means that it is absent.
func (x *Exchange) Number(name string, most int64) (int64, error) {
	return numberOf(x.Request, name, most)
}

// LastEventID returns the id of the last event the client has read. The query parameter is for
// clients that cannot set headers.
func (x *Exchange) LastEventID() string {
	return cmp.Or(x.Request.Header.Get("Last-Event-ID"), x.Request.URL.Query().Get("lastEventId"))
}

// Flag reads a boolean query parameter; one that is absent is false.
func (x *Exchange) Flag(name string) (bool, error) { return flagOf(x.Request, name) }

// BadField returns the error for an invalid field of the request.
func BadField(field, reason string) error { return badField(field, reason) }

// Renamed returns a field as a client calls it, if it is the one called ours or is inside it.
func Renamed(field, ours, theirs string) (string, bool) {
	inside, is := strings.CutPrefix(field, ours)
	return theirs + inside, is && (inside == "" || inside[0] == '.' || inside[0] == '[')
}

// CheckTitle refuses what no thread may be called.
func CheckTitle(field, title string) error {
	if title == "" || utf8.RuneCountInString(title) > maxTitle {
		return badField(field, fmt.Sprintf("must be a text of at most %d characters", maxTitle))
	}
	return nil
}

// Agent returns the id of the agent that is asked unless the request names one: the first.
func (x *Exchange) Agent() string { return x.s.cfg.Runs.Agents()[0].ID }

// Description returns the description of an agent, or "", whoever asks.
func (x *Exchange) Description(agentID string) string {
	if a, err := x.s.cfg.Runs.Agent(agentID); err == nil {
		return a.Description
	}
	return ""
}

// Authenticates reports whether the server wants credentials.
func (x *Exchange) Authenticates() bool { return x.s.cfg.Authenticate != nil }

// Input reads the input of a run as AG-UI writes it, for protocols that look at it before Start.
func (x *Exchange) Input(body []byte) (*agui.RunAgentInput, error) {
	in, _, err := readInput(x.s.cfg.MaxMessages, body)
	return in, err
}

// Start starts a run for the caller, or joins the one with the same id and the same input. Follow
// it with Run.Read and Stream. The rules for the input are those for a client's: see StartBody.
func (x *Exchange) Start(agentID string, in *agui.RunAgentInput) (*run.Run, error) {
	body, err := agui.MarshalRunAgentInput(in)
	if err != nil {
		return nil, fmt.Errorf("encode the run's input: %w", err)
	}
	r, _, err := x.StartBody(agentID, body)
	return r, err
}

// StartBody is Start for an input as AG-UI writes it, which it also returns. On a route that does
// other things too, the request counts with those that start runs from here on.
func (x *Exchange) StartBody(agentID string, body []byte) (*run.Run, *agui.RunAgentInput, error) {
	if !x.admitted {
		x.admitted = true
		if err := x.s.limits.admit(x.c, classRuns); err != nil {
			return nil, nil, err
		}
	}
	if err := x.Count(); err != nil {
		return nil, nil, err
	}
	return x.s.start(x.c, agentID, body)
}

// Follow returns a reader of one of the caller's runs: see run.Manager.Follow.
func (x *Exchange) Follow(req run.FollowRequest) (*run.Reader, error) {
	if err := x.Count(); err != nil {
		return nil, err
	}
	req.Owner = x.Owner
	return x.s.cfg.Runs.Follow(x.Request.Context(), req)
}

// FollowThread returns a reader of one of the caller's threads as it is, and of its live run: see
// run.Manager.FollowThread.
func (x *Exchange) FollowThread(req run.FollowRequest) (*run.Reader, error) {
	if err := x.Count(); err != nil {
		return nil, err
	}
	req.Owner = x.Owner
	return x.s.cfg.Runs.FollowThread(x.Request.Context(), req)
}

// Snapshot returns the newest messages of one of the caller's threads, in whole turns, and what it
// waits for. What its live run has said so far is not among them. before is what Messages takes to
// return the ones that precede them, "" if there are none.
func (x *Exchange) Snapshot(
	threadID string, limit int,
) (messages []agui.Message, waits *agui.Outcome, before string, err error) {
	events, err := x.Shown(run.FollowRequest{ThreadID: threadID, Window: limit})
	for _, e := range events {
		switch e := e.Event.(type) {
		case *agui.MessagesSnapshot:
			said, _ := agui.ReadMetadata(e.Metadata)
			messages, before = e.Messages, said.Before
		case *agui.RunFinished:
			waits = e.Outcome
		}
	}
	return messages, waits, before, err
}

// Shown returns the events that show one of the caller's threads as it is, without its live run.
func (x *Exchange) Shown(req run.FollowRequest) ([]run.Event, error) {
	req.Owner = x.Owner
	reader, err := x.s.cfg.Runs.FollowThread(x.Request.Context(), req)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	events, _ := reader.Events() // a snapshot comes whole
	if len(events) == 0 {
		return nil, fmt.Errorf("read the snapshot of thread %q: %w", req.ThreadID,
			cmp.Or(reader.Err(), io.ErrUnexpectedEOF))
	}
	return events, nil
}

// Count counts the request as an open stream until it is over, once however many runs it reads.
// What starts or follows a run counts it; before that, it refuses a caller who has too many open.
func (x *Exchange) Count() error {
	if x.counted {
		return nil
	}
	done, err := x.s.limits.stream(x.c)
	if err == nil {
		x.counted, x.over = true, done
	}
	return err
}

// Translate returns what a protocol's stream says of an event. The bytes are sent as they are;
// there may be none.
type Translate func(run.Event) []byte

// Stream sends a run's events as Server-Sent Events, with keep-alive comments, until the run ends,
// the client leaves or its credentials end: as translate says, or as they are if that is nil. It
// closes the reader.
func (x *Exchange) Stream(reader *run.Reader, translate Translate) error {
	return x.s.stream(x.c, reader, translate)
}

// Cancel stops one of the caller's runs, also when the client has left.
func (x *Exchange) Cancel(runID string) error {
	return x.s.cfg.Runs.Cancel(context.WithoutCancel(x.Request.Context()), x.Owner, runID)
}

// Events answers the request with a whole stream of Server-Sent Events, which may be empty.
func (x *Exchange) Events(frames []byte) error {
	x.Writer.Header().Set("Content-Type", "text/event-stream")
	x.Writer.Header().Set("Cache-Control", "no-cache, no-transform")
	allowToWrite(x.Writer, x.s.cfg.WriteTimeout) // it may have taken longer than that
	x.Writer.WriteHeader(http.StatusOK)
	_, _ = x.Writer.Write(frames) // fails if the client has gone
	return nil
}

// JSON answers the request with a value.
func (x *Exchange) JSON(v any) {
	allowToWrite(x.Writer, x.s.cfg.WriteTimeout) // it may have taken longer than that
	writeJSON(x.Writer, v)
}

// Query asks an agent's model for structured output, for the caller and within their limits: see
// run.Manager.Query.
func (x *Exchange) Query(agentID string, q run.Query) (json.RawMessage, run.Spending, error) {
	return x.s.cfg.Runs.Query(x.Request.Context(), x.Principal, agentID, q)
}

// Context is the request's.
func (x *Exchange) Context() context.Context { return x.Request.Context() }

// Permit refuses an agent, or a place, that the policy does not let the caller use, and then an
// agent that does not exist. Start does too: this is for what is looked up before it.
func (x *Exchange) Permit(agentID string, in *agui.RunAgentInput) error {
	at, err := page.ParseForwarded(in.ForwardedProps)
	if err != nil {
		return badField("forwardedProps", err.Error())
	}
	if err := x.s.mayVisit(x.c, agentID, at.Place); err != nil {
		return err
	}
	_, err = x.s.cfg.Runs.Agent(agentID)
	return err
}

// PermitPush refuses a caller who may not have a server told of tasks.
func (x *Exchange) PermitPush() error {
	return x.s.permit(x.c, policy.Question{Kind: policy.Push, Verb: policy.Use})
}

// Agents returns the ids of the agents that the caller may ask.
func (x *Exchange) Agents() []string {
	var ids []string
	for _, a := range x.s.agents(x.c) {
		ids = append(ids, a.ID)
	}
	return ids
}

// Knows reports whether there is an agent with this id, whether the caller may ask it or not.
func (x *Exchange) Knows(agentID string) bool {
	_, err := x.s.cfg.Runs.Agent(agentID)
	return err == nil
}

// Describe returns the description and the capabilities of an agent that the caller may ask.
func (x *Exchange) Describe(agentID string) (description string, capabilities *agui.Capabilities, err error) {
	a, err := x.s.cfg.Runs.Agent(agentID)
	if err == nil {
		err = x.s.mayVisit(x.c, a.ID, page.Place{})
	}
	if err != nil {
		return "", nil, err
	}
	return a.Description, a.Capabilities(x.Context(), x.Principal, x.s.offers(x.c)), nil
}

// Suggest returns what the caller might ask next, as POST /v1/suggestions does: from a model if the
// server has one for suggestions, otherwise from the page that the input names.
func (x *Exchange) Suggest(agentID string, in *agui.RunAgentInput, req suggest.Request) ([]page.Suggestion, error) {
	if err := checkSuggest(req.Max, req.Instructions, len(req.Context)); err != nil {
		return nil, err
	}
	at, err := page.ParseForwarded(in.ForwardedProps)
	if err != nil {
		return nil, badField("forwardedProps", err.Error())
	}
	a, err := x.s.at(x.c, placeJSON{Place: at.Place, Agent: agentID})
	if err != nil {
		return nil, err
	}
	answer, err := x.s.suggest(x.c, req, atMost(a.Pages.Resolve(at.Place).Suggestions, req.Max))
	return answer.Suggestions, err
}

// Wait reads a run to its end, for protocols that answer at once. It closes the reader. It returns
// an error if the client leaves, its credentials end, or another process takes the run over.
func (x *Exchange) Wait(reader *run.Reader, each func(agui.Event)) error {
	defer reader.Close()
	x.out.begin()
	credentials := x.credentials
	if credentials == nil {
		credentials = x.s.watch(x.c)
		defer credentials.stop()
	}
	for !reader.Ready(each) {
		select {
		case <-reader.Wake():
		case <-credentials.done:
			return &Error{
				Status: http.StatusUnauthorized, Code: "unauthenticated",
				Message: "the credentials of this request have ended",
			}
		case <-x.Request.Context().Done():
			return x.Request.Context().Err()
		}
	}
	if x.s.cfg.Runs.Draining() {
		return &Error{
			Status: http.StatusServiceUnavailable, Code: string(refusal.Draining),
			Message: "the server is shutting down",
		}
	}
	return reader.Err()
}
