package httptool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/pageside/pageside/internal/visible"
	"github.com/pageside/pageside/tool"
)

// answer is an endpoint's response.
type answer struct {
	status int
	media  string
	body   []byte // without secrets
	args   map[string]any
	log    *slog.Logger
}

func mediaOf(resp *http.Response) string {
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

// json returns the body if it is JSON, whatever its content type.
func (a *answer) json() (json.RawMessage, bool) {
	body := bytes.TrimSpace(a.body)
	return body, json.Valid(body)
}

// at returns what a pointer leads to in the body, if that is JSON and anything but null.
func (a *answer) at(pointer string) (json.RawMessage, bool) {
	raw, ok := a.json()
	if ok {
		raw, ok = find(raw, pointer)
	}
	return raw, ok && string(raw) != "null"
}

// text returns the body for a model: text as it is, anything else by its kind and size.
func (a *answer) text() string {
	switch {
	case len(a.body) == 0:
		return fmt.Sprintf("The endpoint answered %d %s, without content.", a.status, http.StatusText(a.status))
	case !a.readable():
		return fmt.Sprintf("The endpoint answered with %s of %d bytes, which cannot be shown as text.",
			or(a.media, "something"), len(a.body))
	}
	return string(a.body)
}

func (a *answer) readable() bool {
	return isJSON(a.media) || strings.HasPrefix(a.media, "text/") ||
		utf8.Valid(a.body) && !bytes.ContainsRune(a.body, 0)
}

// brief returns the beginning of the body, where it is text.
func (a *answer) brief(most int) string {
	if !a.readable() {
		return ""
	}
	return visible.Brief(string(a.body), most)
}

// read makes the tool's result from an answer.
func (e *endpoint) read(ctx context.Context, a *answer) (tool.Result, error) {
	text, err := e.resultText(ctx, a)
	if err != nil {
		return tool.Result{}, err
	}
	r := tool.Result{Text: text}
	if e.PayloadType != "" {
		r.Payload = e.payload(ctx, a)
	}
	if e.Sources != nil {
		r.Sources = e.sources(ctx, a)
	}
	return r, nil
}

func (e *endpoint) resultText(ctx context.Context, a *answer) (string, error) {
	switch {
	case e.result != nil:
		return e.templated(ctx, a), nil
	case e.ResultPointer != "":
		return e.pointedAt(a)
	}
	return a.text(), nil
}

// templated renders the result template. An answer that the template does not fit is shown as it
// came: that helps the model more than an error.
func (e *endpoint) templated(ctx context.Context, a *answer) string {
	var body any = string(a.body)
	if raw, ok := a.json(); ok {
		if v, err := decode(raw); err == nil {
			body = v
		}
	}
	text, err := e.result.render(map[string]any{"status": a.status, "body": body, "args": a.args})
	if err != nil {
		a.log.WarnContext(ctx, "an HTTP tool's result template does not fit an answer", "tool", e.Name,
			"status", a.status, "error", err)
		return a.text()
	}
	return text
}

func (e *endpoint) pointedAt(a *answer) (string, error) {
	raw, ok := a.json()
	if !ok {
		return "", &tool.Error{
			Code: CodeBadResponse,
			Message: fmt.Sprintf("the endpoint answered with %s where JSON was expected: %s",
				or(a.media, "something"), a.brief(maxRefusal)),
		}
	}
	found, ok := find(raw, e.ResultPointer)
	if !ok {
		return "", &tool.Error{
			Code:    CodeBadResponse,
			Message: fmt.Sprintf("the endpoint's answer has nothing at %s: %s", e.ResultPointer, a.brief(maxRefusal)),
		}
	}
	var s string
	if json.Unmarshal(found, &s) == nil && found[0] == '"' {
		return s, nil
	}
	return string(found), nil
}

// payload returns the data of the payload, nil where the answer has none.
func (e *endpoint) payload(ctx context.Context, a *answer) any {
	found, ok := a.at(e.PayloadPointer)
	if !ok {
		return nil
	}
	if found[0] != '{' {
		a.log.WarnContext(ctx, "what an HTTP tool's payload pointer leads to is no object", "tool", e.Name,
			"payloadPointer", e.PayloadPointer)
		return nil
	}
	return found
}
