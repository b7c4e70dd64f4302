package httptool

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pageside/pageside/internal/egress"
	"github.com/pageside/pageside/internal/jsonx"
	"github.com/pageside/pageside/internal/upstream"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/httptool/signed"
)

// Egress says what may be reached. Where it names no hosts, the host of the tool's URL is the only
// one; the URL's port is always among the ports.
type Egress = egress.Policy

// Config describes a tool that calls an HTTP endpoint.
type Config struct {
	Name        string
	Description string
	// InputSchema describes the arguments; the templates may refer to its properties. Arguments
	// that it does not declare are refused, unless it sets additionalProperties.
	InputSchema json.RawMessage

	Method string // GET without a body template, POST with one, where it is empty
	// URL is a template; scheme and host must be plain text. Beside the arguments, URL and Body may
	// refer to who asks and where: .principal.subject, .place.page, .scope.stream, and {{ index
	// .context "Selected rows" }}. The tool is not offered where a value is missing that stands
	// outside {{if}}.
	URL     string
	Headers map[string]string // sent as they are
	// HeaderTemplates are headers made of who asks and where: {{ .principal.subject }}. They know
	// no arguments. Values are percent-encoded, lists are written with commas.
	HeaderTemplates map[string]string
	// Sign has the requests signed; nil does not.
	Sign *Sign
	// Body is a template for what ContentType says. Where it is empty, POST, PUT and PATCH send the
	// arguments as JSON.
	Body        string
	ContentType string // application/json where it is empty

	// Result makes the text for the model: a template over {status, body, args}, body being the
	// decoded JSON or the text. Without it ResultPointer, a JSON pointer (RFC 6901), picks a part
	// of the body; without both the text is the whole body.
	Result        string
	ResultPointer string
	// PayloadType is the type of the payload; "" is no payload. PayloadPointer says where in the
	// body its data is: "" is the whole body.
	PayloadType    string
	PayloadPointer string

	// Sources says where the body lists what the result rests on; nil is nowhere.
	Sources *Sources

	// State says where in the body a merge patch (RFC 7396) of the state is that the page and the
	// agent share: "" is the whole body. nil changes nothing.
	State *string

	Category string
	Global   bool
	Effect   tool.Effect
	Policy   tool.Policy
	Timeout  time.Duration // of the request; 0 is Policy.Timeout, and where that is 0 too, 30 s
	MaxBytes int64         // of the response; 0 is 4 MiB
	Egress   Egress
	// Bind sets arguments: see tool.Tool.
	Bind map[string]tool.Source
	// Secrets are values that must never be shown: they are removed from everything the endpoint
	// answers. The values of headers with telling names (Authorization, Cookie, …key, …token, …)
	// need not be repeated here.
	Secrets []string
}

// DefaultMaxBytes bounds a response where a Config names no bound.
const DefaultMaxBytes = 4 << 20

// New makes the tool. Its error is, or wraps, an *agui.FieldError.
func New(c Config) (*tool.Tool, error) {
	e, err := newEndpoint(c)
	if err != nil {
		return nil, fmt.Errorf("HTTP tool %q: %w", c.Name, err)
	}
	policy := c.Policy
	policy.Timeout = cmp.Or(policy.Timeout, e.timeout)
	closed, err := tool.ClosedSchema(c.InputSchema)
	if err != nil {
		return nil, fmt.Errorf("HTTP tool %q: inputSchema: %w", c.Name, err)
	}
	return &tool.Tool{
		Name: c.Name, Description: c.Description, InputSchema: closed, Category: c.Category, Global: c.Global,
		PayloadType: c.PayloadType, Effect: c.Effect, Policy: policy, Handler: e.call, Target: e.target(),
		Host: e.base.Host,
		Bind: c.Bind, Needs: e.needs, MaxResult: cmp.Or(c.MaxBytes, DefaultMaxBytes),
	}, nil
}

// target identifies the request that a call makes. Headers with credentials are left out: they
// change while the tool stays the same.
func (e *endpoint) target() string {
	headers := maps.Clone(e.Headers)
	maps.DeleteFunc(headers, func(name, _ string) bool { return upstream.Sensitive().MatchString(name) })
	parts := []any{e.Method, e.URL, e.ContentType, e.Body, headers}
	if len(e.HeaderTemplates) > 0 || e.Sign != nil {
		parts = append(parts, e.HeaderTemplates, e.disclosed())
	}
	return tool.TargetOf(parts...)
}

// disclosed returns what a signed request says about its caller; nil for requests that are not.
func (e *endpoint) disclosed() []string {
	if e.Sign == nil {
		return nil
	}
	return e.Sign.Send
}

// endpoint is a Config that has been checked.
type endpoint struct {
	Config
	client     *http.Client
	timeout    time.Duration
	properties []string
	needs      []tool.Source    // what the templates cannot do without
	headers    map[string]*text // by canonical name
	base       *url.URL         // scheme and host, which no template changes
	url        *text
	body       *text // nil: no template
	kind       bodyKind
	result     *text // nil: no template
	secrets    *strings.Replacer
}

func newEndpoint(c Config) (*endpoint, error) {
	e := &endpoint{Config: c}
	if err := (jsonx.Checks{
		{"name", e.checkName},
		{"inputSchema", e.checkSchema},
		{"method", e.checkMethod},
		{"url", e.checkURL},
		{"headers", e.checkHeaders},
		{"headers", e.checkHeaderTemplates},
		{"sign", e.checkSign},
		{"timeout", e.checkTimeout},
		{"egress", e.checkEgress},
		{"contentType", e.checkContentType},
		{"body", e.checkBody},
		{"result", e.checkResult},
		{"resultPointer", e.checkResultPointer},
		{"payloadPointer", e.checkPayloadPointer},
		{"sources", e.checkSources},
		{"state", e.checkState},
	}).First(); err != nil {
		return nil, err
	}
	e.secrets = scrubber(c)
	return e, nil
}

func (e *endpoint) checkName() error { return tool.CheckName(e.Name) }

func (e *endpoint) checkSchema() error {
	if _, err := tool.CompileSchema(e.InputSchema); err != nil {
		return err
	}
	if len(e.InputSchema) == 0 {
		return nil
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(e.InputSchema, &schema); err != nil {
		return err
	}
	for name := range schema.Properties {
		e.properties = append(e.properties, name)
	}
	slices.Sort(e.properties)
	return nil
}

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
}

func (e *endpoint) checkMethod() error {
	usual := http.MethodPost
	if e.Body == "" {
		usual = http.MethodGet
	}
	e.Method = strings.ToUpper(cmp.Or(e.Method, usual))
	if !slices.Contains(methods, e.Method) {
		return fmt.Errorf("%q is none of %s", e.Method, strings.Join(methods, ", "))
	}
	return nil
}

func (e *endpoint) checkURL() (err error) {
	if e.base, err = baseOf(e.URL); err != nil {
		return err
	}
	if e.url, err = e.parse(e.URL, inPath, e.properties); err != nil {
		return err
	}
	return e.try(func(sample map[string]any) error {
		_, err := e.renderURL(sample)
		return err
	})
}

// transport are the headers that belong to the HTTP client.
var transport = []string{
	"Host", "Content-Length", "Transfer-Encoding", "Connection", "Te", "Trailer", "Upgrade",
	"Proxy-Authorization", "Accept-Encoding",
}

func (e *endpoint) checkHeaders() error { return checkHeaders(e.Headers) }

func checkHeaders(headers map[string]string) error {
	for name, value := range headers {
		if err := cmp.Or(upstream.CheckHeaderName(name, transport), upstream.CheckHeaderValue(name, value)); err != nil {
			return err
		}
		switch canonical := http.CanonicalHeaderKey(name); {
		case slices.Contains(signed.Headers, canonical):
			return fmt.Errorf("%s is set by signing: see sign", canonical)
		case canonical == "Content-Type":
			return errors.New("say Content-Type in contentType")
		}
	}
	return nil
}

func (e *endpoint) checkTimeout() error {
	if e.Timeout < 0 {
		return fmt.Errorf("it is %v", e.Timeout)
	}
	e.timeout = cmp.Or(e.Timeout, e.Policy.Timeout, egress.DefaultTimeout)
	return nil
}

// checkEgress makes the client. The host, scheme and port in the URL's plain text need not be
// configured again, but a private host must be allowed.
func (e *endpoint) checkEgress() error {
	policy := e.Egress
	policy.Timeout, policy.MaxBytes = e.timeout, cmp.Or(e.MaxBytes, DefaultMaxBytes)
	guard, err := policy.GuardOf(e.base)
	if err != nil {
		return err
	}
	e.client = guard.Client()
	return nil
}

func (e *endpoint) checkResult() error {
	if e.Result == "" {
		return nil
	}
	if e.ResultPointer != "" {
		return errors.New("give either a template or resultPointer, not both")
	}
	w := walker{names: []string{"status", "body", "args"}}
	var err error
	e.result, err = w.parse(e.Result, inText)
	return err
}

func (e *endpoint) checkResultPointer() error { return checkPointer(e.ResultPointer) }

func (e *endpoint) checkPayloadPointer() error {
	if e.PayloadPointer != "" && e.PayloadType == "" {
		return errors.New("it needs a payloadType")
	}
	return checkPointer(e.PayloadPointer)
}

// scrubber removes secrets from texts.
func scrubber(c Config) *strings.Replacer {
	secrets := slices.Clone(c.Secrets)
	if c.Sign != nil {
		secrets = append(secrets, c.Sign.Secret)
	}
	for name, value := range c.Headers {
		if upstream.Sensitive().MatchString(name) {
			secrets = append(secrets, upstream.WithTokens(value)...)
		}
	}
	return upstream.Scrubber(minSecret, secrets)
}

// minSecret is the shortest value that is removed. All of them are known to be secrets.
const minSecret = 4
