package httptool

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/httptool/signed"
)

// Sign has the requests of a tool signed, so that the endpoint knows for whom they are: package
// signed checks them.
type Sign struct {
	Secret string
	// Send names what the endpoint is told in signed.CallerHeader: principal, place, scope, or a
	// single source such as scope.stream. Empty is all three.
	Send []string
}

// maxCaller bounds signed.CallerHeader before its encoding: servers refuse large headers.
const maxCaller = 4 << 10

// whole are the first parts of names in templates that stand for who asks and where.
var whole = []string{"principal", "place", "scope", "context"}

func (e *endpoint) checkSign() error {
	if e.Sign == nil {
		return nil
	}
	if err := signed.CheckSecret(e.Sign.Secret); err != nil {
		return err
	}
	send, err := tool.Signed(e.Sign.Send)
	e.Sign = &Sign{e.Sign.Secret, send}
	return err
}

// checkHeaderTemplates parses the headers that are made of who asks and where.
func (e *endpoint) checkHeaderTemplates() error {
	if err := checkHeaders(e.HeaderTemplates); err != nil {
		return err
	}
	e.headers = map[string]*text{}
	for _, name := range slices.Sorted(maps.Keys(e.HeaderTemplates)) {
		if _, taken := e.Headers[name]; taken {
			return fmt.Errorf("%s is given twice", name)
		}
		t, err := e.parse(e.HeaderTemplates[name], inHeader, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		e.headers[http.CanonicalHeaderKey(name)] = t
	}
	return nil
}

// parse parses a template that may refer to who asks and where, and notes what it cannot do
// without.
func (e *endpoint) parse(source string, start position, names []string) (*text, error) {
	w := &walker{names: append(slices.Clone(names), whole...), caller: true, declared: e.properties}
	t, err := w.parse(source, start)
	if err != nil {
		return nil, err
	}
	for _, s := range w.needs {
		if !slices.Contains(e.needs, s) {
			e.needs = append(e.needs, s)
		}
	}
	return t, nil
}

// data returns what the templates of a call are rendered with.
func (e *endpoint) data(args map[string]any, call *tool.Call) map[string]any {
	data := maps.Clone(args)
	for _, kind := range whole {
		if !slices.Contains(e.properties, kind) {
			if data[kind] = call.Disclosed(kind)[kind]; data[kind] == nil {
				data[kind] = map[string]any{}
			}
		}
	}
	return data
}

// headerText writes a value into a header: a list with commas, and in each value everything
// percent-encoded but letters, digits and what cannot be mistaken.
func headerText(label string, v any) (string, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var parts []string
	for _, item := range list {
		s, err := scalar(label, item)
		if err != nil {
			return "", err
		}
		parts = append(parts, encodeHeader(s))
	}
	return strings.Join(parts, ","), nil
}

func encodeHeader(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~@:+/=", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// setCaller sets the headers that say who asks, and signs the request where that is configured.
func (e *endpoint) setCaller(req *http.Request, body string, data map[string]any, call *tool.Call) error {
	for name, t := range e.headers {
		value, err := t.render(data)
		if err != nil {
			return err
		}
		req.Header.Set(name, value)
	}
	if e.Sign == nil {
		return nil
	}
	caller := call.DisclosedJSON(e.Sign.Send...)
	if len(caller) > maxCaller {
		return absent(fmt.Sprintf("what is sent of who asks and where has %d bytes, at most %d are possible",
			len(caller), maxCaller))
	}
	headers := append(slices.Collect(maps.Keys(e.headers)), "Idempotency-Key")
	return signed.Sign(req, []byte(body), caller, e.Sign.Secret, headers...)
}
