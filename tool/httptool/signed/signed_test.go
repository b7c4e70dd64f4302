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

	"github.com/pageside/pageside/tool/httptool/signed"
)

const secret = "sixteen bytes and more"

// request is a signed one, as a server receives it.
func request(body string) *http.Request {
	r := httptest.NewRequest("POST", "/notes/7?by=ada", strings.NewReader(body))
	r.Header.Set("X-Place", "streams/edit")
	signed.Sign(r, []byte(body), []byte(`{"principal":{"subject":"ada","roles":["user"]},"scope":{"stream":"42"}}`), secret, "X-Place", "Idempotency-Key")
	return r
}

func TestASignedRequestSaysWhoAsks(t *testing.T) {
	r := request("hello")
	caller, err := signed.NewVerifier("another secret of ours", secret).Request(r)
	if err != nil || fmt.Sprintf("%+v", caller) != "{Principal:{Subject:ada Tenant: Roles:[user]} Place:{Path: Page: Tab: Subtab:} Scope:map[stream:42]}" {
		t.Errorf("%+v, %v", caller, err)
	}
	if body, err := io.ReadAll(r.Body); string(body) != "hello" || err != nil {
		t.Errorf("the handler reads %q, %v", body, err)
	}
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
		"signature":        func(r *http.Request) { r.Header.Set("Pageside-Signature", "t=1, n=1, h=pageside-caller, s=00") },
		"none":             func(r *http.Request) { r.Header.Del("Pageside-Signature") },
		"second signature": func(r *http.Request) { r.Header.Add("Pageside-Signature", "x") },
		"time": func(r *http.Request) {
			s := r.Header.Get("Pageside-Signature")
			r.Header.Set("Pageside-Signature", "t=1"+s[len("t=1"):])
			if r.Header.Get("Pageside-Signature") == s {
				r.Header.Set("Pageside-Signature", "t=9"+s[len("t=9"):])
			}
		},
		"headers": func(r *http.Request) {
			r.Header.Set("Pageside-Signature", strings.Replace(r.Header.Get("Pageside-Signature"), " x-place", "", 1))
		},
	} {
		r := request("hello")
		change(r)
		if _, err := signed.NewVerifier(secret).Request(r); !errors.Is(err, signed.ErrUnsigned) && !(name == "time" && errors.Is(err, signed.ErrExpired)) {
			t.Errorf("%s: %v", name, err)
		}
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
		if _, err := v.Request(again); err != nil {
			t.Fatal(err)
		}
		if _, err := v.Request(copied); !errors.Is(err, signed.ErrReplayed) {
			t.Errorf("received again: %v", err)
		}
		time.Sleep(signed.DefaultWindow + 2*time.Second)
		if _, err := v.Request(late); !errors.Is(err, signed.ErrExpired) {
			t.Errorf("after the window: %v", err)
		}
		v.MaxBytes = 4
		if _, err := v.Request(request("hello")); !errors.Is(err, signed.ErrTooLarge) {
			t.Errorf("too long: %v", err)
		}
	})
}

func FuzzRequest(f *testing.F) {
	f.Add("t=1, n=2, h=pageside-caller, s=00", "e30")
	f.Add(", = ,h= ", "")
	f.Fuzz(func(t *testing.T, signature, caller string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Pageside-Signature", signature)
		r.Header.Set("Pageside-Caller", caller)
		if _, err := signed.NewVerifier(secret).Request(r); err == nil {
			t.Error("it is accepted")
		}
	})
}
