package signed_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool/httptool/signed"
)

const secret = "sixteen bytes and more"

// request is a signed one, as a server receives it.
func request(body string) *http.Request {
	r := httptest.NewRequest("POST", "/notes/7?by=ada", strings.NewReader(body))
	r.Header.Set("X-Place", "streams/edit")
	err := signed.Sign(r, []byte(body), []byte(`{"principal":{"subject":"ada","roles":["user"]},"scope":{"stream":"42"}}`), secret, "X-Place", "Idempotency-Key")
	if err != nil {
		panic(err)
	}
	return r
}

func TestASignedRequestSaysWhoAsks(t *testing.T) {
	r := request("hello")
	caller, err := signed.NewVerifier("another secret of ours", secret).Request(r)
	if err != nil || fmt.Sprintf("%+v", caller) != "{Principal:{Subject:ada Tenant: Roles:[user]} Place:{Path: Page: Tab: Subtab:} Scope:map[stream:42]}" {
		t.Errorf("%+v, %v", caller, err)
	}
	must.Be(t, string(must.Get(io.ReadAll(r.Body))(t)), "hello", "the handler")
}

// Whatever the signature covers cannot be changed.
func TestAChangedRequestIsRefused(t *testing.T) {
	for name, change := range map[string]func(r *http.Request){
		"method":           func(r *http.Request) { r.Method = "PUT" },
		"path":             func(r *http.Request) { r.RequestURI = "/notes/8?by=ada" },
		"query":            func(r *http.Request) { r.RequestURI = "/notes/7?by=bob" },
		"body":             func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("hullo")) },
		"caller":           func(r *http.Request) { r.Header.Set("Pageside-Caller", "e30") },
		"second caller":    func(r *http.Request) { r.Header.Add("Pageside-Caller", "e30") },
		"header":           func(r *http.Request) { r.Header.Set("X-Place", "admin") },
		"signature":        func(r *http.Request) { r.Header.Set("Webhook-Signature", "v1,AAAA") },
		"none":             func(r *http.Request) { r.Header.Del("Webhook-Signature") },
		"no caller":        func(r *http.Request) { r.Header.Del("Pageside-Caller") },
		"second signature": func(r *http.Request) { r.Header.Add("Webhook-Signature", "x") },
		"id":               func(r *http.Request) { r.Header.Set("Webhook-Id", "x"+r.Header.Get("Webhook-Id")) },
		"another's id":     func(r *http.Request) { r.Header.Set("Webhook-Id", request("hello").Header.Get("Webhook-Id")) },
		"time": func(r *http.Request) {
			r.Header.Set("Webhook-Timestamp", fmt.Sprint(time.Now().Add(-time.Minute).Unix()))
		},
		"headers": func(r *http.Request) { r.Header.Del("Pageside-Signed") },
	} {
		r := request("hello")
		change(r)
		must.FailWith(t, must.Err(signed.NewVerifier(secret).Request(r)), signed.ErrUnsigned, "%s", name)
	}
	for _, other := range []string{"", "short", "another secret of ours"} {
		if _, err := signed.NewVerifier(other).Request(request("hello")); !errors.Is(err, signed.ErrUnsigned) {
			t.Errorf("with the secret %q: %v", other, err)
		}
	}
}

func TestARequestIsAcceptedOnceAndInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := signed.NewVerifier(secret)
		again, late := request("hello"), request("hello")
		copied := again.Clone(t.Context())
		copied.Body = io.NopCloser(strings.NewReader("hello"))
		must.Get(v.Request(again))(t)
		must.FailWith(t, must.Err(v.Request(copied)), signed.ErrReplayed, "received again")
		time.Sleep(signed.Window + 2*time.Second)
		must.FailWith(t, must.Err(v.Request(late)), signed.ErrExpired, "after the window")
		v.MaxBytes = 4
		must.FailWith(t, must.Err(v.Request(request("hello"))), signed.ErrTooLarge, "too long")
	})
}

// A receiver that knows nothing of Pageside checks the signature with any library of the standard.
func TestAStockLibraryVerifies(t *testing.T) {
	const shared = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	stock := must.Get(standardwebhooks.NewWebhook(shared))(t)
	r := httptest.NewRequest("PUT", "/notes/7", nil)
	body := []byte(`{"test": 2432232314}`)
	must.Do(t, signed.Sign(r, body, []byte("{}"), shared))
	must.Be(t, stock.Verify(body, r.Header), nil, "the stock library says")
	must.Fail(t, stock.Verify([]byte("{}"), r.Header), "", "another body")
}

func TestSecretsThatCannotBeUsed(t *testing.T) {
	for secret, want := range map[string]string{
		"":                            "at least 16 bytes",
		"whsec_" + "c2hvcnQ=":         "at least 16 bytes", // longer than what it stands for
		"whsec_not base64 at all, no": "must be base64",
		"sixteen bytes and more":      "",
	} {
		err := signed.CheckSecret(secret)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", secret, err, want)
		}
		if err := signed.Sign(httptest.NewRequest("GET", "/", nil), nil, nil, secret); (err == nil) != (want == "") {
			t.Errorf("%q signs: %v", secret, err)
		}
	}
}

func FuzzRequest(f *testing.F) {
	f.Add("v1,AAAA", "x_y", "e30")
	f.Add(", ,v1", "_", "")
	f.Fuzz(func(t *testing.T, signature, id, caller string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Webhook-Signature", signature)
		r.Header.Set("Webhook-Id", id)
		r.Header.Set("Webhook-Timestamp", fmt.Sprint(time.Now().Unix()))
		r.Header.Set("Pageside-Caller", caller)
		must.Fail(t, must.Err(signed.NewVerifier(secret).Request(r)), "", "the request")
	})
}
