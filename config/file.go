package config

// File is the content of pageside.yaml. Every field is optional: the zero value is valid and serves
// nothing.
type File struct {
	Listen       string               `json:"listen,omitempty" jsonschema:"the address to listen on; default 127.0.0.1:8420"`
	Store        string               `json:"store,omitempty" jsonschema:"where threads are kept: sqlite:FILE, relative to this file; default sqlite:pageside.db in the working directory"`
	Origins      []string             `json:"origins,omitempty" jsonschema:"exact origins whose pages may use the server in addition to its own, such as https://app.example.com"`
	Auth         *Auth                `json:"auth,omitempty" jsonschema:"who may use the server"`
	Models       map[string]Model     `json:"models,omitempty" jsonschema:"models by the names that agents use for them"`
	Agents       []Agent              `json:"agents,omitempty" jsonschema:"the assistants; the first is the default"`
	Suggestions  *Suggestions         `json:"suggestions,omitempty" jsonschema:"how follow-up suggestions are made"`
	Instructions *InstructionPolicy   `json:"instructions,omitempty" jsonschema:"what becomes of the client's own instructions"`
	Tools        []Tool               `json:"tools,omitempty" jsonschema:"tools that are HTTP endpoints"`
	PageTools    []PageTool           `json:"pageTools,omitempty" jsonschema:"what tools that run in the page may do; wins over what the page declares"`
	MCP          map[string]MCPServer `json:"mcp,omitempty" jsonschema:"MCP servers by name; their tools are called name__tool"`
	A2A          map[string]A2AAgent  `json:"a2a,omitempty" jsonschema:"agents elsewhere that speak A2A 1.0, by the names of the tools that ask them"`
	Egress       *Egress              `json:"egress,omitempty" jsonschema:"which hosts tools may reach"`
	Payloads     []Payload            `json:"payloads,omitempty" jsonschema:"the kinds of cards"`
	Pages        []Page               `json:"pages,omitempty" jsonschema:"the pages of the application"`
	DropIns      []string             `json:"dropIns,omitempty" jsonschema:"other protocols that the server speaks besides AG-UI, for front ends that were written for them"`
	Personal     []string             `json:"personal,omitempty" jsonschema:"drop-ins whose clients pass on only what a person has typed; by default what comes through them counts as another model's words, and taints"`
	AskInWords   []string             `json:"askInWords,omitempty" jsonschema:"drop-ins whose front ends draw no interrupts: their users are asked in words, whatever approvals.ask of the agent says"`
	PublicURL    string               `json:"publicUrl,omitempty" jsonschema:"where clients reach the server, such as https://assistant.example.com: what the agent cards of the drop-in a2a name; default the host that a request names"`
	Push         bool                 `json:"pushNotifications,omitempty" jsonschema:"may clients of the drop-in a2a have their servers told of tasks? at addresses that pushEgress allows, and if a permission lets them; default no"`
	PushEgress   *Egress              `json:"pushEgress,omitempty" jsonschema:"where push notifications may go; what tools may reach does not count; default public addresses on ports 80 and 443"`
	PushKeys     []Secret             `json:"pushKeys,omitempty" jsonschema:"secrets of at least 32 bytes, each env:NAME or file:PATH, that seal the credentials of clients' push notifications in the store: the first those that are new, any of them those that are there; without one they are stored as they are"`
	Runs         *Runs                `json:"runs,omitempty" jsonschema:"how runs wait, end and expire"`
	Permissions  []Permission         `json:"permissions,omitempty" jsonschema:"what users may do; once there are any, or users sign in, what no rule allows is denied, except tools whose effect is read and those of the page that declare no more"`
	Sharing      *bool                `json:"sharing,omitempty" jsonschema:"may users who sign in share a conversation as a read-only link with others of their tenant? false also closes the links that there are; default true"`
	Audit        *Audit               `json:"audit,omitempty" jsonschema:"the audit log: who did what, and why it was allowed"`
	Limits       *Limits              `json:"limits,omitempty" jsonschema:"what the server accepts"`
}

// Section returns a section of the file, empty where the file has none.
func Section[T any](s *T) (content T) {
	if s != nil {
		content = *s
	}
	return content
}

// Model is one model of one provider.
type Model struct {
	Use           string            `json:"use" jsonschema:"provider/name, such as openai/gpt-5-mini; script/FILE plays rules from a file"`
	Like          string            `json:"like,omitempty" jsonschema:"the known model that this one behaves like, such as gpt-5-mini: for deployments and fine-tunes with names of their own"`
	Key           Secret            `json:"key,omitempty" jsonschema:"env:NAME or file:PATH; default: the provider's usual environment variable"`
	BaseURL       string            `json:"baseUrl,omitempty" jsonschema:"the API's address, for servers that speak a provider's protocol"`
	Responses     bool              `json:"responses,omitempty" jsonschema:"OpenAI: use the Responses API"`
	Payloads      string            `json:"payloads,omitempty" jsonschema:"how the model writes payloads: auto, marker or tool"`
	ContextWindow int               `json:"contextWindow,omitempty" jsonschema:"in tokens, if it differs from the known one"`
	Tools         *bool             `json:"tools,omitempty" jsonschema:"does the model take tools? without them it only talks"`
	ParallelTools *bool             `json:"parallelTools,omitempty" jsonschema:"may the model call several tools in one step?"`
	StrictTools   *bool             `json:"strictTools,omitempty" jsonschema:"does the model honour strict schemas?"`
	Images        *bool             `json:"images,omitempty" jsonschema:"can the model be shown images?"`
	Prices        *Prices           `json:"prices,omitempty" jsonschema:"in US dollars for a million tokens"`
	Effort        string            `json:"effort,omitempty" jsonschema:"reasoning effort of its answers, unless a user chooses another; models with fewer levels take the nearest; default the provider's"`
	Temperature   *float64          `json:"temperature,omitempty" jsonschema:"of its answers; default the provider's"`
	MaxTokens     int               `json:"maxTokens,omitempty" jsonschema:"the most tokens of one answer; default the provider's"`
	Timeout       Duration          `json:"timeout,omitempty" jsonschema:"how long it may say nothing at first; default 5m for a model that may think or is not known, less for others"`
	Headers       map[string]Secret `json:"headers,omitempty" jsonschema:"of requests to it; values may be env:NAME or file:PATH, or contain ${env:NAME}"`
	Extra         Object            `json:"extra,omitempty" jsonschema:"members of its requests' bodies that nothing else here says, as its provider documents them; or file:PATH"`
	Fallback      []string          `json:"fallback,omitempty" jsonschema:"models to try, in order, if this one fails; never a scripted one"`
}

// Prices are in US dollars for a million tokens.
type Prices struct {
	Input      float64 `json:"input,omitempty" jsonschema:"uncached input tokens"`
	Output     float64 `json:"output,omitempty" jsonschema:"output tokens"`
	CacheRead  float64 `json:"cacheRead,omitempty" jsonschema:"tokens read from the provider's cache"`
	CacheWrite float64 `json:"cacheWrite,omitempty" jsonschema:"tokens written to the provider's cache"`
}

// Choice is a model that users may choose for their runs.
type Choice struct {
	Model   string   `json:"model" jsonschema:"a name under models, or provider/name"`
	Label   string   `json:"label,omitempty" jsonschema:"what users read; default the model's name"`
	Efforts []string `json:"efforts,omitempty" jsonschema:"the reasoning efforts that users may ask of it: low, medium, high; by default the provider decides"`
}

// Agent is one assistant: a model with tools and pages, or an agent that is somewhere else (URL).
type Agent struct {
	ID                  string     `json:"id" jsonschema:"its name in URLs, such as default"`
	Description         string     `json:"description,omitempty" jsonschema:"one sentence for people"`
	Model               string     `json:"model,omitempty" jsonschema:"a name under models, or provider/name; needed unless there are choices or a url"`
	Choices             []Choice   `json:"choices,omitempty" jsonschema:"in place of model: the models that users may choose from; the first is the default"`
	TitleModel          string     `json:"titleModel,omitempty" jsonschema:"the model that titles new threads; by default the title is the first words"`
	Instructions        Text       `json:"instructions,omitempty" jsonschema:"the first block of the prompt, or file:PATH"`
	AskUser             bool       `json:"askUser,omitempty" jsonschema:"may the assistant ask the user with a card (tool ask_user)?"`
	Approvals           *Approvals `json:"approvals,omitempty" jsonschema:"when a person must approve a tool call"`
	MaxSteps            int        `json:"maxSteps,omitempty" jsonschema:"most model calls in a run; default 12"`
	MaxToolCalls        int        `json:"maxToolCalls,omitempty" jsonschema:"most tool calls at once; default 8"`
	MaxCallsPerQuestion int        `json:"maxCallsPerQuestion,omitempty" jsonschema:"most tool calls for one question, continuations of page tools included; default 64"`
	ContextTokens       int        `json:"contextTokens,omitempty" jsonschema:"budget of the page context; default 1500, and a part of the model's window for texts and schemas of clients without Pageside's metadata"`
	State               *State     `json:"state,omitempty" jsonschema:"the state that the page and the assistant share"`
	Page                string     `json:"page,omitempty" jsonschema:"where clients are that name no page, such as stock ones of AG-UI: a page, tab or subtab of pages, as in edit/execute; gives this agent its own tools there"`
	WhenBusy            string     `json:"whenBusy,omitempty" jsonschema:"when a thread already has a live run: auto, queue, reject or supersede; default runs.whenBusy"`

	// of a remote agent
	URL      Secret            `json:"url,omitempty" jsonschema:"the address of an AG-UI agent elsewhere, which answers in place of a model: https://agents.example.com/research; may be env:NAME, or contain ${env:NAME}"`
	Headers  map[string]Secret `json:"headers,omitempty" jsonschema:"of requests to the url; values may be env:NAME or file:PATH, or contain ${env:NAME}"`
	Sign     *Sign             `json:"sign,omitempty" jsonschema:"signs requests to the url, so that the agent can trust what it is told of who asks and where"`
	Protocol string            `json:"protocol,omitempty" jsonschema:"the version of AG-UI that the agent at the url is sent: 1.0, or 0.x for one that refuses fields it does not know; default 1.0"`
	Silence  Duration          `json:"silence,omitempty" jsonschema:"how long the agent at the url may say nothing; default 2m"`
}

// State is the state that the page and the assistant share.
type State struct {
	Model    string       `json:"model,omitempty" jsonschema:"what the model may do with it: none, read (it is shown the state) or write (it also gets the tool update_state); default read"`
	Schema   Object       `json:"schema,omitempty" jsonschema:"JSON Schema that the state must match, or file:PATH; what breaks it is refused; default any state"`
	Initial  Object       `json:"initial,omitempty" jsonschema:"the state of a new thread, or file:PATH; default none"`
	MaxBytes int          `json:"maxBytes,omitempty" jsonschema:"largest state; default 64 KiB"`
	Predict  []Prediction `json:"predict,omitempty" jsonschema:"arguments of tools that grow into the state while the model writes them (the event PredictState)"`
}

// Prediction is an argument of a tool that becomes a member of the state.
type Prediction struct {
	Tool     string `json:"tool" jsonschema:"a tool of the server, or one of the page that pageTools names"`
	Argument string `json:"argument,omitempty" jsonschema:"one of its arguments; default all of them as an object"`
	Key      string `json:"key" jsonschema:"the member of the state"`
}

// Approvals says when a person must approve a tool call. It applies to tools whose approval is
// policy.
type Approvals struct {
	Untrusted *bool    `json:"untrusted,omitempty" jsonschema:"on a tainted branch, ask before every tool that changes something, except those that act in the page; a branch is tainted once the model has read what others may have written, such as page context, tool results and attachments (see configuration.md); default true"`
	PageTools string   `json:"pageTools,omitempty" jsonschema:"what a tool of the page does that declares no effect: page (it acts in the user's browser with the user's rights, and runs at once) or write (it asks as a tool of the server does); default page"`
	Ask       string   `json:"ask,omitempty" jsonschema:"how a person is asked: interrupt (AG-UI's, which the front end draws) or words (a message, for front ends that draw no interrupts; the user's next plain yes or no decides, anything else declines); default interrupt"`
	Expiry    Duration `json:"expiry,omitempty" jsonschema:"how long an approval or question stays open; default 24h"`
}

// Suggestions configures follow-up suggestions.
type Suggestions struct {
	Model   string   `json:"model" jsonschema:"a name under models, or provider/name; a cheap model will do"`
	Every   Duration `json:"every,omitempty" jsonschema:"a user may request one more after this time; default 2s"`
	Burst   int      `json:"burst,omitempty" jsonschema:"and this many at once; default 10"`
	KeepFor Duration `json:"keepFor,omitempty" jsonschema:"how long an answer is cached; default 10m"`
}

// InstructionPolicy says how the client's own instructions are treated.
type InstructionPolicy struct {
	Client string `json:"client,omitempty" jsonschema:"what the client's system and developer messages, such as those of useAssistantAdditionalContext, are to the model: guidance is a section of the system prompt below the operator's, data stands beside the page context, ignore leaves them out; default guidance"`
}

// Tool is a tool that calls an HTTP endpoint.
type Tool struct {
	Name        string            `json:"name"`
	Description string            `json:"description" jsonschema:"for the model"`
	Input       Object            `json:"input,omitempty" jsonschema:"JSON Schema of the arguments, or file:PATH; by default the tool takes none"`
	Category    string            `json:"category,omitempty"`
	Global      bool              `json:"global,omitempty" jsonschema:"offered on every page"`
	Effect      string            `json:"effect,omitempty" jsonschema:"read, idempotent (writes, and may be repeated after a crash), write, exfil or destructive; default write"`
	Approval    string            `json:"approval,omitempty" jsonschema:"never, always or policy; default policy"`
	OpenArgs    []string          `json:"openArgs,omitempty" jsonschema:"arguments that a user who allows calls for good may leave open, such as a title; never recipients or ids"`
	Sequential  bool              `json:"sequential,omitempty" jsonschema:"never runs in parallel with another call"`
	Timeout     Duration          `json:"timeout,omitempty" jsonschema:"for one call; default 30s"`
	Rate        int               `json:"rate,omitempty" jsonschema:"most calls in a minute for one user; default no limit"`
	Method      string            `json:"method,omitempty" jsonschema:"default GET, or POST if there is a body"`
	URL         string            `json:"url" jsonschema:"a Go template over the arguments, and who asks and where: https://api.example.com/streams/{{ .scope.stream }}/items/{{ .id }}"`
	Headers     map[string]Secret `json:"headers,omitempty" jsonschema:"values may be env:NAME or file:PATH, contain ${env:NAME}, or be Go templates over who asks and where: {{ .principal.subject }}"`
	Bind        map[string]string `json:"bind,omitempty" jsonschema:"arguments that the model neither sees nor chooses, and where their values come from: principal.subject, principal.tenant, principal.roles, place.path, place.page, place.tab, place.subtab, scope.KIND or context.NAME"`
	Sign        *Sign             `json:"sign,omitempty" jsonschema:"signs the requests, so that the endpoint can trust what it is told of who asks and where"`
	Body        string            `json:"body,omitempty" jsonschema:"a Go template over the arguments that renders JSON; by default POST, PUT and PATCH send the arguments"`
	Result      string            `json:"result,omitempty" jsonschema:"what the model is told: a JSON pointer into the response (/items), or a Go template over .status .body .args; default: the response"`
	Payload     string            `json:"payload,omitempty" jsonschema:"JSON pointer to the card's data in the response; default: the response"`
	PayloadType string            `json:"payloadType,omitempty" jsonschema:"the payload type of the card"`
	State       *string           `json:"state,omitempty" jsonschema:"JSON pointer to what the response changes of the shared state, as a merge patch (RFC 7396); an empty one is the response"`
	Sources     *Sources          `json:"sources,omitempty" jsonschema:"where the response lists what the result rests on; answers cite it"`
	MaxBytes    int               `json:"maxBytes,omitempty" jsonschema:"largest response; default 4 MiB"`
}

// Sources says where the response of an HTTP tool lists its sources.
type Sources struct {
	List    string `json:"list,omitempty" jsonschema:"JSON pointer to a list of sources, or to one: objects, or texts that are an address or a title; default: the response"`
	Title   string `json:"title,omitempty" jsonschema:"JSON pointer within a source; default /title"`
	URL     string `json:"url,omitempty" jsonschema:"JSON pointer within a source; default /url"`
	Snippet string `json:"snippet,omitempty" jsonschema:"JSON pointer within a source; default /snippet"`
}

// Sign has the requests of an HTTP tool or to a remote agent signed.
type Sign struct {
	Secret Secret   `json:"secret" jsonschema:"env:NAME or file:PATH; at least 16 bytes, which the endpoint knows too"`
	Send   []string `json:"send,omitempty" jsonschema:"what the endpoint is told in the header Pageside-Caller: principal, place, scope, or parts such as principal.subject; default all three"`
}

// PageTool says what a tool that runs in the page may do.
type PageTool struct {
	Name     string `json:"name" jsonschema:"the name by which the page declares it"`
	Effect   string `json:"effect,omitempty" jsonschema:"read, page, idempotent, write, exfil or destructive; default what the page declares, else what approvals.pageTools says"`
	Approval string `json:"approval,omitempty" jsonschema:"never, always or policy; default policy, which leaves an always of the page as it is"`
	Rate     int    `json:"rate,omitempty" jsonschema:"most calls in a minute for one user; default no limit. The page gets each call once it is whole"`
}

// A2AAgent is an agent elsewhere that is a tool here.
type A2AAgent struct {
	Description string            `json:"description" jsonschema:"for the model: what the agent does, and what it must be told"`
	URL         Secret            `json:"url" jsonschema:"where the agent takes JSON-RPC: the url of the JSONRPC interface in its card; may be env:NAME, or contain ${env:NAME}"`
	Headers     map[string]Secret `json:"headers,omitempty" jsonschema:"of requests to the agent; values may be env:NAME or file:PATH, or contain ${env:NAME}"`
	Category    string            `json:"category,omitempty"`
	Global      bool              `json:"global,omitempty" jsonschema:"offered on every page"`
	Effect      string            `json:"effect,omitempty" jsonschema:"read, idempotent (writes, and may be repeated after a crash), write, exfil or destructive; default write"`
	Approval    string            `json:"approval,omitempty" jsonschema:"never, always or policy; default policy"`
	Sequential  bool              `json:"sequential,omitempty" jsonschema:"never runs in parallel with another call"`
	Rate        int               `json:"rate,omitempty" jsonschema:"most calls in a minute for one user; default no limit"`
	Timeout     Duration          `json:"timeout,omitempty" jsonschema:"for a task, up to its end or its next question; default 10m"`
	Silence     Duration          `json:"silence,omitempty" jsonschema:"how long the agent may say nothing; default 2m"`
	MaxBytes    int               `json:"maxBytes,omitempty" jsonschema:"largest answer; default 8 MiB"`
}

// MCPServer is a server that offers tools over the Model Context Protocol.
type MCPServer struct {
	Command  string            `json:"command,omitempty" jsonschema:"a program that speaks MCP on its standard input and output"`
	Args     []string          `json:"args,omitempty" jsonschema:"the program's arguments"`
	Dir      string            `json:"dir,omitempty" jsonschema:"the program's working directory; default this file's folder"`
	Env      map[string]Secret `json:"env,omitempty" jsonschema:"the program's environment; values may be env:NAME or file:PATH"`
	URL      string            `json:"url,omitempty" jsonschema:"a server that speaks MCP over streamable HTTP"`
	Headers  map[string]Secret `json:"headers,omitempty" jsonschema:"values may be env:NAME or file:PATH, or contain ${env:NAME}"`
	Allow    []string          `json:"allow,omitempty" jsonschema:"names or patterns of the tools to offer; default all"`
	Effect   string            `json:"effect,omitempty" jsonschema:"the effect class of its tools; default write"`
	Effects  map[string]string `json:"effects,omitempty" jsonschema:"effect classes of individual tools"`
	Approval string            `json:"approval,omitempty" jsonschema:"never, always or policy; default policy"`
	Pins     map[string]string `json:"pins,omitempty" jsonschema:"sha256:… of approved definitions, by tool; others are not offered"`
	PinFile  string            `json:"pinFile,omitempty" jsonschema:"where definitions are pinned when first seen; default pageside.pins.json beside this file"`
	Global   bool              `json:"global,omitempty" jsonschema:"its tools are offered on every page"`
	Meta     []string          `json:"meta,omitempty" jsonschema:"what the server is told of who asks and where, in _meta of each call: principal, place, scope, context.NAME, or parts such as principal.subject; default nothing"`
	// Bind is by tool, then by argument.
	Bind     map[string]map[string]string `json:"bind,omitempty" jsonschema:"by tool: arguments that the model neither sees nor chooses, and where their values come from, such as scope.stream"`
	Required bool                         `json:"required,omitempty" jsonschema:"refuse to start without it"`
	Timeout  Duration                     `json:"timeout,omitempty" jsonschema:"for one call; default 60s"`
	Rate     int                          `json:"rate,omitempty" jsonschema:"most calls of each of its tools in a minute for one user; default no limit"`

	StartTimeout *Duration `json:"startTimeout,omitempty" jsonschema:"for starting or reaching it, the handshake and listing its tools; at most 10m, default 60s: npx downloads a program first"`
}

// Egress says which hosts tools may reach in addition to the public internet.
type Egress struct {
	Hosts   []string `json:"hosts,omitempty" jsonschema:"if given, only these hosts (*.example.com for subdomains)"`
	Private []string `json:"private,omitempty" jsonschema:"hosts, addresses and networks that may be reached although they are not public, such as 10.1.0.0/16"`
	Ports   []int    `json:"ports,omitempty" jsonschema:"default 80 and 443; the port in the URL of a tool, a server or an agent is always among them"`
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

// Area holds what a page, a tab and a subtab have in common.
type Area struct {
	Name         string       `json:"name"`
	Instructions Text         `json:"instructions,omitempty" jsonschema:"fixed prompt text for this place, or file:PATH"`
	Tools        []string     `json:"tools,omitempty" jsonschema:"names of tools"`
	Payloads     []string     `json:"payloads,omitempty" jsonschema:"names of payload types"`
	Actions      []Action     `json:"actions,omitempty" jsonschema:"suggested actions the model may offer here"`
	Suggestions  []Suggestion `json:"suggestions,omitempty" jsonschema:"offered when the model suggests nothing"`
}

// Page is one page of the application.
type Page struct {
	Area
	Title   string `json:"title,omitempty" jsonschema:"for people"`
	Context Text   `json:"context,omitempty" jsonschema:"a Go template over the page's context whose output the model sees beside it, as data; or file:PATH"`

	ContextInstructions Text `json:"contextInstructions,omitempty" jsonschema:"a Go template like context whose output is instructions, for what depends on what the page shows; values of the page are quoted in it; or file:PATH"`

	Tabs []Tab `json:"tabs,omitempty"`
}

// Tab is one tab of a page.
type Tab struct {
	Area
	Subtabs []Area `json:"subtabs,omitempty"`
}

// Action declares a suggested action that the model may offer.
type Action struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty" jsonschema:"for the model"`
	Handler     string `json:"handler,omitempty" jsonschema:"client or server; default client"`
	Tool        string `json:"tool,omitempty" jsonschema:"for server: the tool that runs"`
}

// Suggestion is a suggested value: a chip that sends a message.
type Suggestion struct {
	Label string `json:"label" jsonschema:"at most 40 characters"`
	Value string `json:"value" jsonschema:"the message it sends"`
}

// Runs configures how runs wait, end and expire.
type Runs struct {
	WhenBusy     string   `json:"whenBusy,omitempty" jsonschema:"when a thread already has a live run: queue waits for it; reject refuses the new one; supersede cancels the live one; auto cancels it if nobody reads it and the user has sent a new message, else waits; default auto"`
	Queue        Duration `json:"queue,omitempty" jsonschema:"how long a run waits for its thread; default 30s"`
	OnDisconnect string   `json:"onDisconnect,omitempty" jsonschema:"detach: the run goes on; cancel: it is cancelled after the grace period; default detach"`
	Grace        Duration `json:"grace,omitempty" jsonschema:"how long an unread run goes on if onDisconnect is cancel; default 10s"`
	Timeout      Duration `json:"timeout,omitempty" jsonschema:"how long a run may take; default 10m"`
	KeepEvents   Duration `json:"keepEvents,omitempty" jsonschema:"how long the events of an ended run stay readable; default 1h"`
	KeepDeleted  Duration `json:"keepDeleted,omitempty" jsonschema:"how long a deleted thread can be restored; default 720h"`
}
