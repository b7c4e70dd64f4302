package config

// File is what pageside.yaml may hold. Everything is optional; the zero value serves nothing but is
// valid.
type File struct {
	Listen       string               `json:"listen,omitempty" jsonschema:"address to listen on; default 127.0.0.1:8420"`
	Store        string               `json:"store,omitempty" jsonschema:"where threads are kept: sqlite:FILE, relative to this file; default sqlite:pageside.db where the server was started"`
	Origins      []string             `json:"origins,omitempty" jsonschema:"origins of pages that may use the server beside its own: https://app.example.com, exactly"`
	Auth         *Auth                `json:"auth,omitempty" jsonschema:"who may use the server"`
	Models       map[string]Model     `json:"models,omitempty" jsonschema:"models by the names that agents use for them"`
	Agents       []Agent              `json:"agents,omitempty" jsonschema:"the assistants; the first one answers where none is named"`
	Suggestions  *Suggestions         `json:"suggestions,omitempty" jsonschema:"how questions to ask next are made"`
	Instructions *InstructionPolicy   `json:"instructions,omitempty" jsonschema:"how far instructions of others are trusted"`
	Tools        []Tool               `json:"tools,omitempty" jsonschema:"tools that are HTTP endpoints"`
	MCP          map[string]MCPServer `json:"mcp,omitempty" jsonschema:"MCP servers by name; their tools are called name__tool"`
	Egress       *Egress              `json:"egress,omitempty" jsonschema:"which hosts tools may reach"`
	Payloads     []Payload            `json:"payloads,omitempty" jsonschema:"the kinds of cards"`
	Pages        []Page               `json:"pages,omitempty" jsonschema:"the pages of the application"`
	Runs         *Runs                `json:"runs,omitempty" jsonschema:"the life of a run"`
	Limits       *Limits              `json:"limits,omitempty" jsonschema:"bounds of the server"`
}

// Auth says who may use the server. Without it there is one principal, local, and only loopback
// addresses are served.
type Auth struct {
	Mode string `json:"mode" jsonschema:"none: one principal on a loopback address"`
}

// Model is one model of one provider.
type Model struct {
	Use           string   `json:"use" jsonschema:"provider/name, such as openai/gpt-5-mini; script/FILE plays rules from a file"`
	Key           Secret   `json:"key,omitempty" jsonschema:"env:NAME or file:PATH; default: the provider's usual environment variable"`
	BaseURL       string   `json:"baseUrl,omitempty" jsonschema:"address of the API, for servers that speak a provider's protocol"`
	Responses     bool     `json:"responses,omitempty" jsonschema:"OpenAI: use the Responses API"`
	Payloads      string   `json:"payloads,omitempty" jsonschema:"how the model writes payloads: auto, marker or tool"`
	ContextWindow int      `json:"contextWindow,omitempty" jsonschema:"tokens, where it is not the known one"`
	ParallelTools *bool    `json:"parallelTools,omitempty" jsonschema:"may the model call several tools in one turn?"`
	StrictTools   *bool    `json:"strictTools,omitempty" jsonschema:"does the model honour strict schemas?"`
	Images        *bool    `json:"images,omitempty" jsonschema:"can the model be shown images?"`
	Prices        *Prices  `json:"prices,omitempty" jsonschema:"of a million tokens, in US dollars"`
	Fallback      []string `json:"fallback,omitempty" jsonschema:"models to ask, in order, where this one cannot answer; never a scripted one"`
}

// Prices are what a million tokens cost, in US dollars.
type Prices struct {
	Input      float64 `json:"input,omitempty" jsonschema:"tokens read that no cache had"`
	Output     float64 `json:"output,omitempty" jsonschema:"tokens written"`
	CacheRead  float64 `json:"cacheRead,omitempty" jsonschema:"tokens read from the provider's cache"`
	CacheWrite float64 `json:"cacheWrite,omitempty" jsonschema:"tokens written to the provider's cache"`
}

// Agent is one assistant.
type Agent struct {
	ID            string     `json:"id" jsonschema:"names it in URLs: default"`
	Description   string     `json:"description,omitempty" jsonschema:"one sentence for people"`
	Model         string     `json:"model" jsonschema:"a name under models, or provider/name"`
	TitleModel    string     `json:"titleModel,omitempty" jsonschema:"the model that names new threads; without it they are named after the first words"`
	Instructions  Text       `json:"instructions,omitempty" jsonschema:"the first block of the prompt, or file:PATH"`
	AskUser       bool       `json:"askUser,omitempty" jsonschema:"may the assistant ask the user with a card (tool ask_user)?"`
	Approvals     *Approvals `json:"approvals,omitempty" jsonschema:"when a person must agree to a tool call"`
	MaxSteps      int        `json:"maxSteps,omitempty" jsonschema:"model calls a run may make; default 12"`
	MaxToolCalls  int        `json:"maxToolCalls,omitempty" jsonschema:"tool calls that run at once; default 8"`
	ContextTokens int        `json:"contextTokens,omitempty" jsonschema:"budget of the page context; default 1500"`
}

// Approvals says when a person must agree to a tool call whose tool leaves it to the server.
type Approvals struct {
	Untrusted *bool    `json:"untrusted,omitempty" jsonschema:"ask before every tool but those with the effect read once the model has read on the branch what others may have written: page context, results of tools, attachments and more (see configuration.md); default true"`
	Expiry    Duration `json:"expiry,omitempty" jsonschema:"how long a question stays open; default 24h"`
}

// Suggestions says how questions to ask next are made.
type Suggestions struct {
	Model   string   `json:"model" jsonschema:"a name under models, or provider/name: a cheap one will do"`
	Every   Duration `json:"every,omitempty" jsonschema:"a user may have one more made after this time; default 2s"`
	Burst   int      `json:"burst,omitempty" jsonschema:"and so many at once; default 10"`
	KeepFor Duration `json:"keepFor,omitempty" jsonschema:"how long an answer is used again; default 10m"`
}

// InstructionPolicy says how far instructions of others are trusted.
type InstructionPolicy struct {
	Client string `json:"client,omitempty" jsonschema:"what the page's code says: trust (in the prompt's system part) or data (beside the page context); default data"`
}

// Tool is a tool that is an HTTP endpoint.
type Tool struct {
	Name        string            `json:"name"`
	Description string            `json:"description" jsonschema:"for the model"`
	Input       Object            `json:"input,omitempty" jsonschema:"JSON Schema of the arguments, or file:PATH; without it the tool takes none"`
	Category    string            `json:"category,omitempty"`
	Global      bool              `json:"global,omitempty" jsonschema:"offered on every page"`
	Effect      string            `json:"effect,omitempty" jsonschema:"read, idempotent (writes, and may be called again after a crash), write, exfil or destructive; default write"`
	Approval    string            `json:"approval,omitempty" jsonschema:"never, always or policy; default policy"`
	Sequential  bool              `json:"sequential,omitempty" jsonschema:"never runs beside another call"`
	Timeout     Duration          `json:"timeout,omitempty" jsonschema:"of a call; default 30s"`
	Method      string            `json:"method,omitempty" jsonschema:"default GET, or POST where there is a body"`
	URL         string            `json:"url" jsonschema:"a Go template over the arguments: https://api.example.com/items/{{ .id }}"`
	Headers     map[string]Secret `json:"headers,omitempty" jsonschema:"values may be env:NAME or file:PATH, or hold ${env:NAME}"`
	Body        string            `json:"body,omitempty" jsonschema:"a Go template over the arguments that renders to JSON; without it POST, PUT and PATCH send the arguments"`
	Result      string            `json:"result,omitempty" jsonschema:"what the model is told: a JSON pointer into the answer (/items), or a Go template over .status .body .args; default: the answer"`
	Payload     string            `json:"payload,omitempty" jsonschema:"JSON pointer to the card's data in the answer; default: the answer"`
	PayloadType string            `json:"payloadType,omitempty" jsonschema:"the payload type of the card"`
	MaxBytes    int               `json:"maxBytes,omitempty" jsonschema:"of the answer; default 4 MiB"`
}

// MCPServer is a server that offers tools over the Model Context Protocol.
type MCPServer struct {
	Command  string            `json:"command,omitempty" jsonschema:"a program that speaks MCP on its standard input and output"`
	Args     []string          `json:"args,omitempty" jsonschema:"the program's arguments"`
	Dir      string            `json:"dir,omitempty" jsonschema:"the program's working directory; default the folder of this file"`
	Env      map[string]Secret `json:"env,omitempty" jsonschema:"the program's environment; values may be env:NAME or file:PATH"`
	URL      string            `json:"url,omitempty" jsonschema:"a server that speaks MCP over streamable HTTP"`
	Headers  map[string]Secret `json:"headers,omitempty" jsonschema:"values may be env:NAME or file:PATH, or hold ${env:NAME}"`
	Allow    []string          `json:"allow,omitempty" jsonschema:"names or patterns of the tools that may be used; default all"`
	Effect   string            `json:"effect,omitempty" jsonschema:"the effect class of its tools; default write"`
	Effects  map[string]string `json:"effects,omitempty" jsonschema:"effect classes of single tools"`
	Approval string            `json:"approval,omitempty" jsonschema:"never, always or policy; default policy"`
	Pins     map[string]string `json:"pins,omitempty" jsonschema:"sha256:… of the definitions that were approved, by tool; others are not offered"`
	PinFile  string            `json:"pinFile,omitempty" jsonschema:"where definitions are pinned when they are first seen; default pageside.pins.json beside this file"`
	Global   bool              `json:"global,omitempty" jsonschema:"its tools are offered on every page"`
	Required bool              `json:"required,omitempty" jsonschema:"do not start without it"`
	Timeout  Duration          `json:"timeout,omitempty" jsonschema:"of a call; default 60s"`

	StartTimeout *Duration `json:"startTimeout,omitempty" jsonschema:"for starting or reaching it, shaking hands and listing its tools; at most 10m, default 60s: npx downloads a program first"`
}

// Egress says which hosts tools may reach beside the public internet.
type Egress struct {
	Hosts   []string `json:"hosts,omitempty" jsonschema:"if given, only these hosts (*.example.com for subdomains)"`
	Private []string `json:"private,omitempty" jsonschema:"hosts, addresses and networks that may be reached although they are not public: 10.1.0.0/16"`
	Ports   []int    `json:"ports,omitempty" jsonschema:"default 80 and 443"`
}

// Payload is one kind of card.
type Payload struct {
	Name         string `json:"name"`
	Description  string `json:"description,omitempty"`
	Source       string `json:"source,omitempty" jsonschema:"tool or llm; default tool"`
	Global       bool   `json:"global,omitempty" jsonschema:"available on every page"`
	Marker       string `json:"marker,omitempty" jsonschema:"what the model writes before the JSON; default the name in capitals and a colon"`
	Schema       Object `json:"schema,omitempty" jsonschema:"JSON Schema of the data, or file:PATH"`
	Instructions Text   `json:"instructions,omitempty" jsonschema:"for the model: when to use it, with an example; or file:PATH"`
}

// Area is what holds at a page, a tab or a subtab.
type Area struct {
	Name         string       `json:"name"`
	Instructions Text         `json:"instructions,omitempty" jsonschema:"the fixed part of the prompt for this place, or file:PATH"`
	Tools        []string     `json:"tools,omitempty" jsonschema:"names of tools"`
	Payloads     []string     `json:"payloads,omitempty" jsonschema:"names of payload types"`
	Actions      []Action     `json:"actions,omitempty" jsonschema:"what a suggested action may do here"`
	Suggestions  []Suggestion `json:"suggestions,omitempty" jsonschema:"offered where the model suggests nothing"`
}

// Page is one page of the application.
type Page struct {
	Area
	Title   string `json:"title,omitempty" jsonschema:"for people"`
	Context Text   `json:"context,omitempty" jsonschema:"a Go template over the page's context that is shown to the model beside it, or file:PATH"`
	Tabs    []Tab  `json:"tabs,omitempty"`
}

// Tab is one tab of a page.
type Tab struct {
	Area
	Subtabs []Area `json:"subtabs,omitempty"`
}

// Action is what a suggested action may do.
type Action struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty" jsonschema:"for the model"`
	Handler     string `json:"handler,omitempty" jsonschema:"client or server; default client"`
	Tool        string `json:"tool,omitempty" jsonschema:"for server: the tool that carries it out"`
}

// Suggestion is a suggested value.
type Suggestion struct {
	Label string `json:"label" jsonschema:"at most 40 characters"`
	Value string `json:"value" jsonschema:"the message it sends"`
}

// Runs is the life of a run.
type Runs struct {
	WhenBusy     string   `json:"whenBusy,omitempty" jsonschema:"a run on a thread with a live run: queue: it waits; reject; supersede: the live one is cancelled; auto: cancelled if nobody reads it and the user has sent a new message, else the new one waits; default auto"`
	Queue        Duration `json:"queue,omitempty" jsonschema:"how long a run waits for its thread; default 30s"`
	OnDisconnect string   `json:"onDisconnect,omitempty" jsonschema:"detach: the run goes on; cancel: it is cancelled after the grace; default detach"`
	Grace        Duration `json:"grace,omitempty" jsonschema:"how long a run that nobody reads goes on where onDisconnect is cancel; default 10s"`
	Timeout      Duration `json:"timeout,omitempty" jsonschema:"how long a run may take; default 10m"`
	KeepEvents   Duration `json:"keepEvents,omitempty" jsonschema:"how long the events of an ended run can be read again; default 1h"`
	KeepDeleted  Duration `json:"keepDeleted,omitempty" jsonschema:"how long a deleted thread can be restored; default 720h"`
}

// Limits are bounds of the server.
type Limits struct {
	Body int `json:"body,omitempty" jsonschema:"bytes of a request; default 4 MiB"`
	Runs int `json:"runs,omitempty" jsonschema:"runs that may be live or wait at once; default 10000"`
}
