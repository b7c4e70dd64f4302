package signed

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Headers of a signed request.
const (
	CallerHeader    = "Pageside-Caller"    // a Caller as JSON in base64url, without padding
	SignatureHeader = "Pageside-Signature" // see the package comment
)

// Defaults of a Verifier.
const (
	DefaultWindow   = 5 * time.Minute
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

// Sign signs a request whose body is body, with the headers it has under the names in headers.
// Headers that are set later are not signed. caller is the JSON of CallerHeader.
func Sign(r *http.Request, body, caller []byte, secret string, headers ...string) {
	r.Header.Set(CallerHeader, base64.RawURLEncoding.EncodeToString(caller))
	names := []string{strings.ToLower(CallerHeader)}
	for _, name := range headers {
		if r.Header.Get(name) != "" {
			names = append(names, strings.ToLower(name))
		}
	}
	slices.Sort(names[1:])
	s := signature{t: strconv.FormatInt(time.Now().Unix(), 10), n: strings.ToLower(rand.Text()), h: slices.Compact(names)}
	s.s = hex.EncodeToString(s.mac(r, r.URL.RequestURI(), body, secret))
	r.Header.Set(SignatureHeader, s.String())
}

// signature is the content of SignatureHeader.
type signature struct {
	t, n, s string
	h       []string
}

func (s signature) String() string {
	return "t=" + s.t + ", n=" + s.n + ", h=" + strings.Join(s.h, " ") + ", s=" + s.s
}

// mac returns the HMAC of a request.
func (s signature) mac(r *http.Request, uri string, body []byte, secret string) []byte {
	digest := sha256.Sum256(body)
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "pageside 1\n%s\n%s\n%s\n%s\n%x\n", s.t, s.n, r.Method, uri, digest)
	for _, name := range s.h {
		fmt.Fprintf(mac, "%s:%s\n", name, strings.Join(r.Header.Values(name), ","))
	}
	return mac.Sum(nil)
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
	Window   time.Duration // how old a signature may be; 0 is DefaultWindow
	MaxBytes int64         // of a body; 0 is DefaultMaxBytes

	secrets []string
	mu      sync.Mutex
	seen    map[string]time.Time // nonces, and when they may be forgotten
}

// NewVerifier returns a verifier for requests signed with one of the secrets: name two while you
// change the secret. Secrets shorter than MinSecret verify nothing.
func NewVerifier(secrets ...string) *Verifier {
	secrets = slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return len(s) < MinSecret })
	return &Verifier{secrets: secrets, seen: map[string]time.Time{}}
}

// Request returns who asks, or why the request must not be served. It reads the body, and puts it
// back for the handler. Each signature is accepted once by this verifier.
func (v *Verifier) Request(r *http.Request) (Caller, error) {
	s, err := parse(r.Header.Values(SignatureHeader))
	if err != nil {
		return Caller{}, err
	}
	body, err := v.body(r)
	if err != nil {
		return Caller{}, err
	}
	uri := r.RequestURI
	if uri == "" { // a request that no server has received
		uri = r.URL.RequestURI()
	}
	if !v.matches(r, s, uri, body) {
		return Caller{}, ErrUnsigned
	}
	if err := v.once(s); err != nil {
		return Caller{}, err
	}
	raw, err := base64.RawURLEncoding.DecodeString(r.Header.Get(CallerHeader))
	if err != nil {
		return Caller{}, ErrUnsigned
	}
	var caller Caller
	if err := json.Unmarshal(raw, &caller); err != nil {
		return Caller{}, ErrUnsigned
	}
	return caller, nil
}

// body reads the body and puts it back.
func (v *Verifier) body(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	most := v.MaxBytes
	if most == 0 {
		most = DefaultMaxBytes
	}
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

func (v *Verifier) matches(r *http.Request, s signature, uri string, body []byte) bool {
	given, err := hex.DecodeString(s.s)
	if err != nil {
		return false
	}
	for _, secret := range v.secrets {
		if hmac.Equal(given, s.mac(r, uri, body, secret)) {
			return true
		}
	}
	return false
}

// once accepts a signature that is in time and has not been seen.
func (v *Verifier) once(s signature) error {
	window := v.Window
	if window == 0 {
		window = DefaultWindow
	}
	seconds, err := strconv.ParseInt(s.t, 10, 64)
	if err != nil {
		return ErrUnsigned
	}
	now, signed := time.Now(), time.Unix(seconds, 0)
	if age := now.Sub(signed); age > window || age < -window {
		return ErrExpired
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, seen := v.seen[s.n]; seen {
		return ErrReplayed
	}
	if len(v.seen) >= maxSeen {
		v.forget(now)
	}
	v.seen[s.n] = signed.Add(window)
	return nil
}

// forget drops nonces whose signatures have expired. If there are too many others, it drops the
// oldest half: better a replay within the window than memory without bound. Requires v.mu.
func (v *Verifier) forget(now time.Time) {
	ends := make([]time.Time, 0, len(v.seen))
	for n, end := range v.seen {
		if now.After(end) {
			delete(v.seen, n)
			continue
		}
		ends = append(ends, end)
	}
	if len(ends) < maxSeen/2 {
		return
	}
	slices.SortFunc(ends, time.Time.Compare)
	half := ends[len(ends)/2]
	for n, end := range v.seen {
		if !end.After(half) {
			delete(v.seen, n)
		}
	}
}

// parse reads SignatureHeader. A signature that does not cover CallerHeader says nothing.
func parse(values []string) (s signature, err error) {
	if len(values) != 1 {
		return s, ErrUnsigned
	}
	for part := range strings.SplitSeq(values[0], ", ") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "t":
			s.t = value
		case "n":
			s.n = value
		case "h":
			s.h = strings.Split(value, " ")
		case "s":
			s.s = value
		}
	}
	if s.t == "" || s.n == "" || len(s.n) > 64 || !slices.Contains(s.h, strings.ToLower(CallerHeader)) {
		return signature{}, ErrUnsigned
	}
	return s, nil
}
