package bedrock

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/schemas"
	"github.com/aws/smithy-go/transport/http/protocol/restjson1"

	"github.com/pageside/pageside/llm"
	"github.com/pageside/pageside/llm/httpmodel"
)

// Config says which model to call and how. Model is needed.
type Config struct {
	Model  string // a model id, an inference profile's id, or the ARN of either
	Like   string // the id of the model that this one behaves like, if its own says nothing
	Region string // default: as the AWS tools find it

	BaseURL     string                  // another endpoint than the region's
	Credentials aws.CredentialsProvider // default: as the AWS tools find them
	Headers     http.Header             // of every request, beside the SDK's
	HTTPClient  aws.HTTPClient          // for calls of the model; default: the SDK's

	// The HeaderTimeout covers the credentials, too. The answer has no lines for MaxLine.
	httpmodel.Limits

	Abilities llm.Profile // over what is known of the model's family
}

// Model is one model of Bedrock. It is safe for concurrent use.
type Model struct {
	cfg    Config
	family family
	info   llm.Info

	dialect *llm.Dialect

	mu     sync.Mutex
	client *bedrockruntime.Client // made at the first call
}

var _ llm.Model = (*Model)(nil)

// New returns the model cfg describes. Missing credentials or a wrong region show with the first
// call.
func New(cfg Config) *Model {
	m := &Model{cfg: cfg, family: familyOf(cmp.Or(cfg.Like, cfg.Model))}
	m.info = cfg.Abilities.Apply(m.family.info(cfg.Model))
	m.info.Host = cfg.host()
	m.dialect = newDialect(m.family, m.info)
	m.cfg.Limits = cfg.Limits.For(m.info.Reasoning || m.family.MayThink()).WithDefaults()
	return m
}

// Resolve returns the model of a name such as "bedrock/us.amazon.nova-pro-v1:0". The region is
// AWS_REGION or AWS_DEFAULT_REGION of env, and AWS_ENDPOINT_URL_BEDROCK_RUNTIME another endpoint;
// what they leave open, the AWS tools' own files say.
func Resolve(name string, env func(string) string) (*Model, error) {
	cfg, err := ConfigOf(name, env)
	if err != nil {
		return nil, err
	}
	return New(cfg), nil
}

// ConfigOf returns the configuration that Resolve makes a model of.
func ConfigOf(name string, env func(string) string) (Config, error) {
	provider, model, _ := strings.Cut(name, "/")
	if provider != "bedrock" || model == "" {
		return Config{}, fmt.Errorf("model %q: write bedrock/NAME, such as bedrock/us.amazon.nova-pro-v1:0", name)
	}
	return Config{
		Model: model, Region: cmp.Or(env("AWS_REGION"), env("AWS_DEFAULT_REGION")),
		BaseURL: env("AWS_ENDPOINT_URL_BEDROCK_RUNTIME"),
	}, nil
}

// host returns the host that calls go to; "" if the AWS configuration alone knows the region.
func (cfg *Config) host() string {
	if cfg.BaseURL == "" && cfg.Region != "" {
		return "bedrock-runtime." + cfg.Region + ".amazonaws.com"
	}
	return httpmodel.HostOf(cfg.BaseURL)
}

// Info returns what is known of the model.
func (m *Model) Info() llm.Info { return m.info }

// Stream makes one call.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Part, error] {
	return httpmodel.Parts(m.dialect, req, func(fit *llm.Fitted, yield httpmodel.Yield) error {
		out := httpmodel.Output{Request: fit, Model: m.info.Name(), Limits: m.cfg.Limits, Yield: yield}
		return (&stream{Output: out, ctx: ctx, model: m}).call()
	})
}

// call makes the call; its error is httpmodel.ErrLeft or an *llm.Error.
func (s *stream) call() error {
	callCtx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	input, err := s.model.input(s.Request.Request)
	if err != nil {
		return s.Errorf(llm.KindBadRequest, err, "the extra fields of the request are not JSON")
	}
	out, err := s.model.send(callCtx, cancel, input)
	if err != nil {
		return s.refused(s.failure(callCtx, err), err)
	}
	s.events = out.GetStream()
	defer s.events.Close()
	if err := s.run(); err != nil {
		return s.failure(callCtx, err)
	}
	return nil
}

// send makes the request and waits for the headers of the response.
func (m *Model) send(
	ctx context.Context, cancel context.CancelCauseFunc, input *bedrockruntime.ConverseStreamInput,
) (*bedrockruntime.ConverseStreamOutput, error) {
	limit := m.cfg.HeaderTimeout
	timer := time.AfterFunc(limit, func() { cancel(&httpmodel.Stall{Phase: httpmodel.Headers, Limit: limit}) })
	defer timer.Stop()
	client, err := m.connect(ctx)
	if err != nil {
		return nil, err
	}
	return client.ConverseStream(ctx, input, ownProtocol)
}

// ownProtocol gives a call its own protocol. The one that the calls of a client share keeps the
// state of a stream's decoder, and streams at the same time race for it (aws/smithy-go issue 714).
func ownProtocol(o *bedrockruntime.Options) {
	o.Protocol = restjson1.New(schemas.AmazonBedrockFrontendService)
}

// connect returns the client. A failure to make it is not kept: the next call tries again.
func (m *Model) connect(ctx context.Context) (*bedrockruntime.Client, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.client != nil {
		return m.client, nil
	}
	options := []func(*config.LoadOptions) error{config.WithRegion(m.cfg.Region)}
	if m.cfg.Credentials != nil {
		options = append(options, config.WithCredentialsProvider(m.cfg.Credentials))
	}
	loaded, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("load the AWS configuration: %w", err)
	}
	m.client = bedrockruntime.NewFromConfig(loaded, m.options)
	return m.client, nil
}

// options sets the options of every call. Retries are the caller's decision, and no answer may be
// endless.
func (m *Model) options(o *bedrockruntime.Options) {
	o.Retryer = aws.NopRetryer{}
	if m.cfg.HTTPClient != nil {
		o.HTTPClient = m.cfg.HTTPClient
	}
	o.HTTPClient = &ownClient{o.HTTPClient, m.cfg.Headers, m.cfg.MaxBody}
	if m.cfg.BaseURL != "" {
		o.BaseEndpoint = &m.cfg.BaseURL
	}
}

// ownClient is an HTTP client whose requests have further headers, which are not signed, and whose
// response bodies are at most so many bytes long.
type ownClient struct {
	aws.HTTPClient
	headers http.Header
	limit   int64
}

func (c *ownClient) Do(req *http.Request) (*http.Response, error) {
	for name, values := range c.headers {
		req.Header[name] = values
	}
	// The SDK closes the body once the headers of the answer are there. net/http, which may still
	// look for its end, would close the connection.
	req.Body = io.NopCloser(req.Body)
	resp, err := c.HTTPClient.Do(req)
	if resp != nil && resp.Body != nil {
		resp.Body = httpmodel.LimitBody(resp.Body, c.limit)
	}
	return resp, err
}
