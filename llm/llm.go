package llm

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Model is one model of one provider. It must be safe for concurrent use.
type Model interface {
	// Info says what the model is and can do. It is constant.
	Info() Info
	// Stream makes one call. Parts arrive in the order the provider sent them; a non-nil error (an
	// *Error) ends the stream, and breaking out of the loop or cancelling ctx closes the upstream
	// connection.
	Stream(ctx context.Context, req *Request) iter.Seq2[Part, error]
}

// Info describes a model.
type Info struct {
	Provider      string // "openai", "ollama", "script"
	Model         string // the provider's own name for it
	ContextWindow int    // tokens; 0 is unknown
	Tools         bool   // understands tool declarations
	ParallelTools bool   // may call several tools in one step
	Images        bool
	PDF           bool // documents beyond text, which every model can read
	Audio, Video  bool
	Reasoning     bool
	// plays rules from a file; must be labelled wherever a person sees its answers
	Scripted    bool
	StrictTools bool // honours ToolDecl.Strict
	Payloads    PayloadTransport
	Prices      Prices
}

// PayloadTransport says how a model is asked to write payloads.
type PayloadTransport string

// The transports. PayloadAuto is a marker in the text.
const (
	PayloadAuto   PayloadTransport = ""
	PayloadMarker PayloadTransport = "marker"
	PayloadTool   PayloadTransport = "tool"
)

// Prices are what a million tokens cost, in the configuration's currency; zero is unknown. An
// unknown cache price counts as the price of input.
type Prices struct{ Input, Output, CacheRead, CacheWrite float64 }

// Name is the model as configuration writes it: provider/model.
func (i Info) Name() string { return i.Provider + "/" + i.Model }

// Request is one model call. What stays the same between calls comes first, so that the provider's
// prompt cache can serve it.
type Request struct {
	System      []Block
	Tools       []ToolDecl // sorted by name
	Messages    []Message
	Choice      Choice
	MaxTokens   int // 0 leaves it to the provider
	Temperature *float64
	Effort      string // reasoning effort: "", "low", "medium", "high"
	Sequential  bool   // at most one tool call in the answer, where the provider can be told so
	// what calls with the same beginning have in common, such as a thread; helps a provider find
	// its cache. Not secret
	CacheKey string
	Extra    map[string]json.RawMessage
}

// Block is one block of the system prompt. Cache marks the end of a prefix worth caching.
type Block struct {
	Text  string
	Cache bool
}

// ToolDecl declares a tool to the model. Parameters is a JSON Schema object, or nil for a tool
// without arguments.
type ToolDecl struct {
	Name, Description string
	Parameters        json.RawMessage
	Strict            bool
}

// Choice says whether the model may or must call tools.
type Choice string

// The zero Choice is ChoiceAuto.
const (
	ChoiceAuto     Choice = ""
	ChoiceNone     Choice = "none"
	ChoiceRequired Choice = "required"
)

// The roles of a Message. System text travels in Request.System.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Message is one message of the history a model is given.
type Message struct {
	Role    string
	Content []Content
}

// Content is one piece of a message: Text, Media, Reasoning, ToolCall or ToolResult.
type Content interface{ isContent() }

type (
	// Text is plain text. Quoted, where set, is the same text as a JSON string literal: adapters
	// splice it into their request without decoding it, which is what makes long histories cheap.
	// String returns the text either way.
	Text struct {
		Text   string
		Quoted json.RawMessage
	}
	// Media is an image, audio, video or document part, by URL or as base64 data.
	Media struct {
		Kind, MimeType string
		URL, Data      string
		Name           string // of the file, as the user knows it; may be empty
	}
	// Reasoning is what the model thought, with the provider's opaque signature, to be sent back
	// unchanged. Opaque values begin with the adapter's tag and a colon ("anthropic:…"): an adapter
	// sends back its own and leaves out every other's.
	Reasoning struct {
		Text   string
		Opaque string
	}
	// ToolCall is a call the model made. Args is the text it wrote, byte for byte.
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

// PartKind says what a Part is.
type PartKind uint8

// The kinds of parts. A tool call is ToolStart, any number of ToolArgs, ToolEnd, all with the same
// Index; several may interleave. A call without ToolEnd is not complete and must not be executed.
// FinishPart comes last; a stream that ends without it ends with an error.
const (
	TextDelta PartKind = iota + 1
	ReasoningDelta
	ToolStart
	ToolArgs
	ToolEnd
	// Opaque carries a provider's signature for the reasoning (Index of the reasoning) or the tool
	// call (its Index), to be stored verbatim.
	Opaque
	UsagePart
	FinishPart
	// Pause says that nothing more is ready: the provider's bytes read so far are all delivered and
	// the next read may block. A consumer that batches flushes here, so batches follow the
	// provider's own rhythm without a timer.
	Pause
)

// Part is one thing a model's stream delivered. Which fields are set depends on Kind.
type Part struct {
	Kind     PartKind
	Index    int    // content block: keeps interleaved parallel calls apart
	ID, Name string // ToolStart
	Delta    string // TextDelta, ReasoningDelta, ToolArgs
	Opaque   string
	Usage    *Usage
	Model    string // UsagePart: provider/model where it is not the one of Info, as behind Fallback
	Finish   Finish
}

// Finish says why the model stopped.
type Finish string

// The reasons. Tool calls of an answer that ended FinishLength are incomplete and must not be
// executed.
const (
	FinishStop   Finish = "stop"
	FinishTools  Finish = "tools"
	FinishLength Finish = "length"
	FinishFilter Finish = "filter"
	FinishOther  Finish = "other"
)

// Usage counts tokens. Input and Output are totals, the others are parts of them; nil is unknown,
// which is not zero.
type Usage struct {
	Input, Output, Reasoning, CacheRead, CacheWrite *int64
}

// ErrorKind classifies what went wrong with a model call.
type ErrorKind string

// The kinds of errors. They double as the code of RUN_ERROR with the prefix "llm_".
const (
	KindAuth        ErrorKind = "auth"         // the provider refused the key
	KindRateLimited ErrorKind = "rate_limited" // 429; RetryAfter may be set
	KindOverloaded  ErrorKind = "overloaded"   // 5xx, 529
	KindContextFull ErrorKind = "context_full" // the request is longer than the model's window
	KindBadRequest  ErrorKind = "bad_request"  // the provider refused the request
	// no headers, no first content or no further byte in time
	KindStalled ErrorKind = "stalled"
	// the answer exceeded our caps, or the model's own limit before it said anything
	KindOutputLimit ErrorKind = "output_limit"
	KindEmpty       ErrorKind = "empty"    // the model said nothing
	KindFiltered    ErrorKind = "filtered" // the provider withheld the whole answer
	// the stream was not what the provider's format promises
	KindProtocol  ErrorKind = "protocol"
	KindNetwork   ErrorKind = "network"   // connection refused, reset, cut off
	KindCancelled ErrorKind = "cancelled" // ctx ended
)

// Error is the error of a model call. Message is safe to show to a user: it never holds a key or a
// raw body.
type Error struct {
	Kind       ErrorKind
	Model      string // provider/model
	Message    string
	Status     int           // HTTP status, 0 where there was none
	RetryAfter time.Duration // what the provider asked for, 0 where it did not
	// the cause, for the log: it may hold the provider's own words, never a key
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
