// Package claims reads a principal from the claims of a token, or from what an application answers
// about its session.
//
//	names := claims.Names{Subject: "sub", Tenant: "org_id", Roles: "realm_access.roles"}
//	principal, err := names.Principal(payload)
//
// Nothing is converted: a claim of another type than expected is an error.
package claims

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pageside/pageside/auth"
)

// Names says which claims hold what. A name is a claim's name, names separated by dots
// (realm_access.roles), or a JSON pointer (/realm_access/roles). A claim whose own name has dots is
// found first.
type Names struct {
	Subject string // a string; default sub
	Tenant  string // a string, which must be there; "" means that there are no tenants
	Roles   string // an array of strings, which may be missing; "" means that there are no roles
}

// emailClaim is only good as a subject if the issuer has verified it: otherwise anybody can claim
// anybody's address.
const emailClaim = "email"

// Principal reads a principal. Raw must be a JSON object without duplicate names.
func (n Names) Principal(raw json.RawMessage) (p auth.Principal, err error) {
	var all map[string]any
	if err := jsonv2.Unmarshal(raw, &all); err != nil || all == nil {
		return p, errors.New("the claims are not one JSON object without duplicate names")
	}
	subject := cmp.Or(n.Subject, "sub")
	if p.Subject, err = text(all, subject); err != nil {
		return p, err
	}
	if subject == emailClaim && all["email_verified"] != true {
		return p, errors.New("the claim email_verified must be true, since the email is the subject")
	}
	if n.Tenant != "" {
		if p.Tenant, err = text(all, n.Tenant); err != nil {
			return p, err
		}
	}
	if p.Roles, err = texts(all, n.Roles); err != nil {
		return p, err
	}
	return p, p.Check()
}

// text returns a claim that must be there, as a string.
func text(all map[string]any, name string) (string, error) {
	value, found := find(all, name)
	if !found {
		return "", fmt.Errorf("the claim %s is missing", name)
	}
	s, ok := value.(string)
	if !ok || s == "" {
		return "", fmt.Errorf("the claim %s must be a string that is not empty", name)
	}
	return s, nil
}

// texts returns a claim that may be missing, as a list of strings.
func texts(all map[string]any, name string) ([]string, error) {
	value, found := find(all, name)
	if name == "" || !found {
		return nil, nil
	}
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("the claim %s must be an array of strings", name)
	}
	out := make([]string, len(list))
	for i, each := range list {
		if out[i], ok = each.(string); !ok || out[i] == "" {
			return nil, fmt.Errorf("the claim %s must be an array of strings that are not empty", name)
		}
	}
	return out, nil
}

// find returns the claim with a name.
func find(all map[string]any, name string) (value any, found bool) {
	if value, found = all[name]; found {
		return value, true
	}
	path := strings.Split(name, ".")
	if strings.HasPrefix(name, "/") {
		path = slices.Collect(jsontext.Pointer(name).Tokens())
	}
	value = all
	for _, step := range path {
		object, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, found = object[step]; !found {
			return nil, false
		}
	}
	return value, true
}
