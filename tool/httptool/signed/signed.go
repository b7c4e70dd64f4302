package signed

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Headers of a signed request. The last three are those of Standard Webhooks.
const (
	CallerHeader    = "Pageside-Caller" // a Caller as JSON in base64url, without padding
	NamesHeader     = "Pageside-Signed" // names of other headers that are signed, if any
	IDHeader        = "Webhook-Id"      // see the package comment
	TimeHeader      = "Webhook-Timestamp"
	SignatureHeader = "Webhook-Signature"
)

// Headers are the names of all headers that Sign sets.
var Headers = []string{CallerHeader, NamesHeader, IDHeader, TimeHeader, SignatureHeader}

const (
	// Window is how old a request may be.
	Window = 5 * time.Minute
	// DefaultMaxBytes bounds a body where a Verifier names no bound.
	DefaultMaxBytes = 4 << 20
	// MinSecret is the shortest secret, in bytes.
	MinSecret = 16

	maxSeen = 100_000
)

// Caller is who asks, and where. It has what the tool's configuration sends.
type Caller struct {
	Principal Principal         `json:"principal"`
	Place     Place             `json:"place"`
	Scope     map[string]string `json:"scope"`
}

// Principal is a user whom the Pageside server has authenticated.
type Principal struct {
	Subject string   `json:"subject"`
	Tenant  string   `json:"tenant"`
	Roles   []string `json:"roles"`
}

// Place is where the user is in the application.
type Place struct {
	Path   string `json:"path"` // page/tab/subtab
	Page   string `json:"page"`
	Tab    string `json:"tab"`
	Subtab string `json:"subtab"`
}

// CheckSecret returns why a secret cannot be used: it has at least MinSecret bytes, and behind
// "whsec_" it is base64, as other libraries of Standard Webhooks have it.
func CheckSecret(secret string) error {
	_, err := keyOf(secret)
	return err
}

func keyOf(secret string) (*standardwebhooks.Webhook, error) {
	key := []byte(secret)
	if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		var err error
		if key, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return nil, errors.New("secret: behind whsec_ it must be base64")
		}
	}
	if len(key) < MinSecret {
		return nil, fmt.Errorf("secret: it must have at least %d bytes", MinSecret)
	}
	return standardwebhooks.NewWebhookRaw(key)
}

// Sign signs a request whose body is body, with the headers it has under the names in headers.
// Headers that are set later are not signed. caller is the JSON of CallerHeader. The error is that
// of CheckSecret.
func Sign(r *http.Request, body, caller []byte, secret string, headers ...string) error {
	key, err := keyOf(secret)
	if err != nil {
		return err
	}
	r.Header.Set(CallerHeader, base64.RawURLEncoding.EncodeToString(caller))
	var names []string
	for _, name := range headers {
		if r.Header.Get(name) != "" {
			names = append(names, strings.ToLower(name))
		}
	}
	if slices.Sort(names); len(names) > 0 {
		r.Header.Set(NamesHeader, strings.Join(slices.Compact(names), " "))
	}
	id, now := strings.ToLower(rand.Text())+"_"+digest(r), time.Now()
	signature, err := key.Sign(id, now, body)
	if err != nil {
		return fmt.Errorf("sign a request: %w", err)
	}
	r.Header.Set(IDHeader, id)
	r.Header.Set(TimeHeader, strconv.FormatInt(now.Unix(), 10))
	r.Header.Set(SignatureHeader, signature)
	return nil
}

// digest is of everything that is signed but the time and the body.
func digest(r *http.Request) string {
	h := sha256.New()
	// a request that no server has received has no RequestURI
	fmt.Fprintf(h, "%s\n%s\n", r.Method, cmp.Or(r.RequestURI, r.URL.RequestURI()))
	names := append([]string{CallerHeader, NamesHeader}, strings.Fields(r.Header.Get(NamesHeader))...)
	for _, name := range names {
		fmt.Fprintf(h, "%s:%s\n", strings.ToLower(name), strings.Join(r.Header.Values(name), ","))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// Errors of a Verifier. All of them mean that the request must not be served.
var (
	ErrUnsigned = errors.New("the request is not signed by the assistant's server")
	ErrExpired  = errors.New("the request was signed too long ago, or by a clock that is wrong")
	ErrReplayed = errors.New("the request was received before")
	ErrTooLarge = errors.New("the request's body is too large")
)

// Verifier checks signed requests. Safe for concurrent use.
type Verifier struct {
	MaxBytes int64 // of a body; 0 is DefaultMaxBytes

	keys []*standardwebhooks.Webhook
	// The newest ids: better a replay within the window than memory without bound.
	seen *lru.Cache[string, struct{}]
}

// NewVerifier returns a verifier for requests signed with one of the secrets: name two while you
// change the secret. Secrets that CheckSecret refuses verify nothing.
func NewVerifier(secrets ...string) *Verifier {
	v := &Verifier{}
	for _, secret := range secrets {
		if key, err := keyOf(secret); err == nil {
			v.keys = append(v.keys, key)
		}
	}
	v.seen, _ = lru.New[string, struct{}](maxSeen) // fails for no size only
	return v
}

// Request returns who asks, or why the request must not be served. It reads the body, and puts it
// back for the handler. Each request is accepted once by this verifier.
func (v *Verifier) Request(r *http.Request) (Caller, error) {
	for _, name := range []string{CallerHeader, IDHeader, TimeHeader, SignatureHeader} {
		if len(r.Header.Values(name)) != 1 {
			return Caller{}, ErrUnsigned
		}
	}
	body, err := v.body(r)
	if err != nil {
		return Caller{}, err
	}
	if err := v.verify(r, body); err != nil {
		return Caller{}, err
	}
	if seen, _ := v.seen.ContainsOrAdd(r.Header.Get(IDHeader), struct{}{}); seen {
		return Caller{}, ErrReplayed
	}
	var caller Caller
	raw, err := base64.RawURLEncoding.DecodeString(r.Header.Get(CallerHeader))
	if err != nil || json.Unmarshal(raw, &caller) != nil {
		return Caller{}, ErrUnsigned
	}
	return caller, nil
}

// body reads the body and puts it back.
func (v *Verifier) body(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	most := cmp.Or(v.MaxBytes, DefaultMaxBytes)
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	if err != nil {
		return nil, fmt.Errorf("read the body of a signed request: %w", err)
	}
	if int64(len(body)) > most {
		return nil, ErrTooLarge
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}

// verify checks that one of the keys has signed this request, and when.
func (v *Verifier) verify(r *http.Request, body []byte) error {
	if _, signed, _ := strings.Cut(r.Header.Get(IDHeader), "_"); signed != digest(r) {
		return ErrUnsigned
	}
	for _, key := range v.keys {
		err := key.Verify(body, r.Header)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, standardwebhooks.ErrMessageTooOld), errors.Is(err, standardwebhooks.ErrMessageTooNew):
			return ErrExpired
		}
	}
	return ErrUnsigned
}
