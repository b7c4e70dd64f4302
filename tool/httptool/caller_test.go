package httptool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/test/must"
	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/httptool"
)

var ada = tool.Call{
	ID: "c1", Principal: auth.Principal{Tenant: "acme", Subject: "ada@example.org", Roles: []string{"user", "a,b\r\nX-Admin: 1"}},
	Origin: tool.Origin{Place: tool.Place{Page: "streams", Tab: "edit"}, Scope: map[string]string{"stream": "4 2/7?x=&", "quote": `a"b`},
		Context: []tool.ContextItem{{Label: "Selected rows", Value: `[1,2]`}}},
}

func callAs(t *testing.T, c httptool.Config, call tool.Call, args string) tool.Result {
	t.Helper()
	ready := register(t, c)
	parsed := must.Get(ready.ParseArgs(args, call.Principal, call.Origin))(t)
	call.Args = parsed
	return tool.Execute(t.Context(), ready, call, nil)
}

func TestWhoAsksAndWhereIsEscapedForItsPosition(t *testing.T) {
	e := serve(t)
	c := e.config(`/by/{{ .principal.subject }}?stream={{ .scope.stream }}&at={{ .place.path }}`)
	c.Body = `{"rows": {{ index .context "Selected rows" }}, "q": "{{ .scope.quote }}", "roles": {{ .principal.roles }}, "id": {{ .id }}}`
	c.HeaderTemplates = map[string]string{"X-Roles": "{{ .principal.roles }}", "X-None": `{{ with .scope.none }}{{ . }}{{ end }}`}
	if r := callAs(t, c, ada, `{"id":"7"}`); r.IsError {
		t.Fatal(r.Text)
	}
	must.Be(t, e.last.uri, "/by/ada@example.org?stream=4+2%2F7%3Fx%3D%26&at=streams%2Fedit", "the URL")
	must.Be(t, e.last.body, `{"rows": "[1,2]", "q": "a\"b", "roles": ["user","a,b\r\nX-Admin: 1"], "id": "7"}`, "the body")
	must.Be(t, e.last.header.Get("X-Roles"), "user,a%2Cb%0D%0AX-Admin:%201", "the header")
	must.Be(t, e.last.header.Get("X-Admin"), "", "another header")
	for name := range e.last.header {
		if strings.HasPrefix(name, "Pageside-") {
			t.Errorf("%s is sent although nothing says so", name)
		}
	}
}

func TestATemplateThatLacksItsCallerIsNotRendered(t *testing.T) {
	e := serve(t)
	c := e.config(`/streams/{{ .scope.stream }}?by={{ .principal.subject }}&tab={{ if .place.subtab }}{{ .place.subtab }}{{ end }}`)
	ready := register(t, c)
	must.Be(t, ready.Unmet(ada.Principal, tool.Origin{}), "scope.stream has no value here", "it lacks")
	must.Be(t, ready.Unmet(ada.Principal, ada.Origin), "", "it lacks")
	if r := callAs(t, c, tool.Call{Principal: ada.Principal}, `{"id":"7"}`); !r.IsError || !strings.Contains(r.Text, "scope.stream has no value here") || e.last != nil {
		t.Errorf("without a stream it answers %s, and the endpoint got %v", r.Text, e.last)
	}
}

// An argument must not stand in for who asks: the model writes it.
func TestAnArgumentNamedLikeTheCallerIsRefusedInTemplates(t *testing.T) {
	e := serve(t)
	c := e.config("/{{ .principal.subject }}")
	c.InputSchema = json.RawMessage(`{"type":"object","properties":{"principal":{"type":"object"}}}`)
	must.Fail(t, must.Err(httptool.New(c)), "rename the argument", "the error")
	c.URL = e.URL + "/x"
	must.Be(t, must.Err(httptool.New(c)), nil, "elsewhere")
}

// What a signed request says is part of the tool: an approval is not for another.
func TestSigningIsPartOfADefinition(t *testing.T) {
	e := serve(t)
	plain, signing := e.config("/x"), e.config("/x")
	signing.Sign = &httptool.Sign{Secret: "sixteen bytes and more"}
	if register(t, plain).Definition() == register(t, signing).Definition() {
		t.Error("the definitions are equal")
	}
}
