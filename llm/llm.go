package llm

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Model is one model of one provider. It must be safe for concurrent use.
type Model interface {
	// Info describes the model. It is constant but for what a local model's server says of it,
	// which may become known with the first call.
	Info() Info
	// Stream makes one call. Parts arrive in the order the provider sent them. A non-nil error (an
	// *Error, or a *PublicError in the model's own words) ends the stream. Breaking out of the loop
	// or cancelling ctx closes the upstream connection.
	Stream(ctx context.Context, req *Request) iter.Seq2[Part, error]
}

// Info describes a model.
type Info struct {
	Provider      string // "openai", "ollama", "script"
	Model         string // as the provider names it
	Host          string // that requests go to, as configured; "" means unknown, or none
	ContextWindow int    // tokens; 0 means unknown
	// the server has not said how large the window is: ContextWindow is what it may be
	WindowAssumed bool
	Tools         bool // understands tool declarations
	// the server has said that it takes no tools: its adapter leaves them out
	ToolsRefused  bool
	ParallelTools bool // may call several tools in one step
	Images        bool
	PDF           bool // documents beyond text, which every model can read
	Audio, Video  bool
	Reasoning     bool
	// plays rules from a file; must be labelled wherever its answers are shown
	Scripted    bool
	StrictTools bool // honours ToolDecl.Strict
	Payloads    PayloadTransport
	Prices      Prices
}

// Learner is a model that can find out what its Info only assumes.
type Learner interface {
	// Learn asks the model's server, and may have it load the model, which takes minutes. Best
	// effort.
	Learn(ctx context.Context)
}

// Learn has a model find out what its Info only assumes, if it can.
func Learn(ctx context.Context, m Model) {
	if l, ok := m.(Learner); ok {
		l.Learn(ctx)
	}
}

// PayloadTransport is how a model is asked to write payloads.
type PayloadTransport string

// Transports. PayloadAuto is a marker in the text.
const (
	PayloadAuto   PayloadTransport = ""
	PayloadMarker PayloadTransport = "marker"
	PayloadTool   PayloadTransport = "tool"
)

// Prices are prices per million tokens in the configuration's currency; zero means unknown. An
// unknown cache price counts as the price of input.
type Prices struct{ Input, Output, CacheRead, CacheWrite float64 }

// Name returns provider/model, as in the configuration.
func (i Info) Name() string { return i.Provider + "/" + i.Model }

// Request is one model call. The parts that stay the same between calls come first, for the
// provider's prompt cache.
type Request struct {
	System      []Block
	Tools       []ToolDecl // sorted by name
	Messages    []Message
	Choice      Choice
	MaxTokens   int // 0 means the provider's default
	Temperature *float64
	Effort      string // reasoning effort: "", or one that Level knows
	Sequential  bool   // at most one tool call in the answer, if the provider supports it
	// the same for calls with the same beginning, such as those of a thread; helps a provider find
	// its cache. Not secret
	CacheKey string
	Extra    map[string]json.RawMessage
}

// Block is one block of the system prompt. Cache marks the end of a prefix worth caching.
type Block struct {
	Text  string
	Cache bool
}

// ToolDecl declares a tool to the model. Parameters is a JSON Schema object, or nil without
// arguments.
type ToolDecl struct {
	Name, Description string
	Parameters        json.RawMessage
	Strict            bool
}

// Choice determines whether the model may or must call tools.
type Choice string

// The zero Choice is ChoiceAuto.
const (
	ChoiceAuto Choice = ""
	// The request also says so in words: where another choice than before loses a provider's cache,
	// the adapter says nothing until the model has called a tool all the same.
	ChoiceNone     Choice = "none"
	ChoiceRequired Choice = "required"
)

// Roles of a Message. System text is in Request.System.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Message is one message of the history.
type Message struct {
	Role    string
	Content []Content
}

// Content is one piece of a message: Text, Media, Reasoning, ToolCall or ToolResult.
type Content interface{ isContent() }

type (
	// Text is plain text. If Quoted is set, it is the same text as a JSON string literal: adapters
	// copy it into their request without decoding, which makes long histories cheap. String returns
	// the text in both cases.
	Text struct {
		Text   string
		Quoted json.RawMessage
	}
	// Media is an image, audio, video or document part, by URL or as base64 data.
	Media struct {
		Kind, MimeType string
		URL, Data      string
		Name           string // file name, as the user knows it; may be empty
	}
	// Reasoning is what the model thought, with the provider's opaque signature, which goes back
	// unchanged. Opaque values begin with the adapter's tag and a colon ("anthropic:…"): an adapter
	// sends back its own and drops all others.
	Reasoning struct {
		Text   string
		Opaque string
	}
	// ToolCall is a call by the model. Args is its text, byte for byte.
	ToolCall struct {
		ID, Name string
		Args     string
		Opaque   string
	}
	// ToolResult answers the call with the same ID. Content is text.
	ToolResult struct {
		ID      string
		Content Text
		IsError bool
	}
)

func (Text) isContent()       {}
func (Media) isContent()      {}
func (Reasoning) isContent()  {}
func (ToolCall) isContent()   {}
func (ToolResult) isContent() {}

// Only returns the pieces of one kind.
func Only[T Content](content []Content) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, c := range content {
			if c, ok := c.(T); ok && !yield(c) {
				return
			}
		}
	}
}

// Has reports whether there are pieces of a kind.
func Has[T Content](content []Content) bool {
	for range Only[T](content) {
		return true
	}
	return false
}

// PartKind is the kind of a Part.
type PartKind uint8

// Kinds of parts. A tool call is ToolStart, any number of ToolArgs, ToolEnd, all with the same
// Index; calls may interleave. A call without ToolEnd is incomplete and must not be run. FinishPart
// comes last; a stream without it ends with an error.
const (
	TextDelta PartKind = iota + 1
	ReasoningDelta
	ToolStart
	ToolArgs
	ToolEnd
	// Opaque carries a provider's signature for the reasoning or tool call with the same Index, to
	// be stored verbatim.
	Opaque
	UsagePart
	FinishPart
	// Pause announces that the next read may block: everything read so far has been delivered. A
	// consumer that batches flushes here; its batches then follow the provider's rhythm without a
	// timer.
	Pause
)

// Part is one element of a model's stream. The fields that are set depend on Kind.
type Part struct {
	Kind     PartKind
	Index    int    // content block: keeps interleaved parallel calls apart
	ID, Name string // ToolStart
	Delta    string // TextDelta, ReasoningDelta, ToolArgs
	Opaque   string
	Usage    *Usage
	Counting Counting // UsagePart: totals of the call so far, or what came since the last one
	Model    string   // UsagePart: provider/model if not the one of Info, as behind Fallback
	Finish   Finish
}

// Finish is the reason the model stopped.
type Finish string

// Reasons. Tool calls of an answer that ended with FinishLength are incomplete and must not be run.
const (
	FinishStop   Finish = "stop"
	FinishTools  Finish = "tools"
	FinishLength Finish = "length"
	FinishFilter Finish = "filter"
	FinishOther  Finish = "other"
)

// Usage counts tokens. Input and Output are totals, of which Reasoning, CacheRead and CacheWrite
// are parts. Total is what the provider says of both, and never a sum made here. nil means unknown,
// not zero.
type Usage struct {
	Input, Output, Total, Reasoning, CacheRead, CacheWrite *int64
}

// ErrorKind classifies errors of a model call.
type ErrorKind string

// Kinds of errors. With the prefix "llm_" they are codes of RUN_ERROR.
const (
	KindAuth        ErrorKind = "auth"         // the provider refused the key
	KindRateLimited ErrorKind = "rate_limited" // 429; RetryAfter may be set
	KindOverloaded  ErrorKind = "overloaded"   // 5xx, 529
	KindContextFull ErrorKind = "context_full" // the request is longer than the model's window
	KindBadRequest  ErrorKind = "bad_request"  // the provider refused the request
	// no headers, first content or next byte in time
	KindStalled ErrorKind = "stalled"
	// the answer exceeded our limits, or the model's own limit before any text
	KindOutputLimit ErrorKind = "output_limit"
	KindEmpty       ErrorKind = "empty"    // the model returned nothing
	KindFiltered    ErrorKind = "filtered" // the provider withheld the whole answer
	// the stream violated the provider's format
	KindProtocol  ErrorKind = "protocol"
	KindNetwork   ErrorKind = "network"   // connection refused, reset, cut off
	KindCancelled ErrorKind = "cancelled" // ctx ended
)

// Error is the error of a model call. Message is safe to show: it never holds a key or a raw body.
type Error struct {
	Kind       ErrorKind
	Model      string // provider/model
	Message    string
	Status     int           // HTTP status, 0 if none
	RetryAfter time.Duration // as requested by the provider, or 0
	// of a KindBadRequest: the provider's words speak of a length, so a shorter request may do
	MayBeTooLong bool
	// the cause, for the log: it may hold the provider's message, never a key
	Err error
}

func (e *Error) Error() string { return e.Model + ": " + e.Message }
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same call may succeed later.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case KindRateLimited, KindOverloaded, KindStalled, KindNetwork:
		return true
	}
	return false
}
