package config

import (
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/pageside/pageside/tool"
	"github.com/pageside/pageside/tool/a2atool"
)

// a2aTool returns the tool that asks an agent elsewhere, or nil.
func (b *builder) a2aTool(name string, a A2AAgent) *tool.Tool {
	at := jsonPath("a2a", name)
	address, _, err := b.secret(a.URL)
	if !b.sound(at+".url", err) {
		return nil
	}
	headers, secrets := b.secretsAt(at+".headers", a.Headers)
	t, err := a2atool.New(a2atool.Config{
		Name: name, Description: a.Description, URL: address, Headers: headers, Secrets: secrets,
		Category: a.Category, Global: a.Global, Effect: tool.Effect(a.Effect), Policy: a.policy(),
		Silence: time.Duration(a.Silence), MaxBytes: int64(a.MaxBytes), Egress: b.EgressPolicy(),
	})
	b.soundField(at, err)
	return t
}

func (a A2AAgent) policy() tool.Policy {
	p := policyOf(a.Approval, a.Sequential, a.Rate)
	p.Timeout = time.Duration(a.Timeout)
	return p
}

// leastPushKey is the shortest secret of pushKeys, in bytes.
const leastPushKey = 32

// pushKeys resolves the secrets that seal credentials.
func (b *builder) pushKeys() {
	for i, s := range b.File.PushKeys {
		b.site.PushKeys = append(b.site.PushKeys, b.keyAt(fmt.Sprintf("pushKeys[%d]", i), s, leastPushKey))
	}
}

// a2a checks what the file says of agents elsewhere.
func (c *checker) a2a() {
	if c.Push && !slices.Contains(c.DropIns, "a2a") {
		c.fail("pushNotifications", "is for clients of A2A: write dropIns: [a2a]")
	}
	c.publicURL()
	if c.PushEgress != nil && !c.Push {
		c.fail("pushEgress", "is for pushNotifications, which are off")
	}
	if len(c.PushKeys) > 0 && !c.Push {
		c.fail("pushKeys", "are for push notifications: write pushNotifications: true")
	}
	for name := range c.A2A {
		at := jsonPath("a2a", name)
		if slices.ContainsFunc(c.Tools, func(t Tool) bool { return t.Name == name }) {
			c.fail(at, "%q is also a tool under tools", name)
		}
	}
}

// publicURL checks the address that agent cards name.
func (c *checker) publicURL() {
	if c.PublicURL == "" {
		return
	}
	u, err := url.Parse(c.PublicURL)
	switch {
	case err != nil, u.Scheme != "https" && u.Scheme != "http", u.Host == "", u.User != nil,
		u.RawQuery != "" || u.Fragment != "":
		c.fail("publicUrl", "must be an address such as https://assistant.example.com")
	case !slices.Contains(c.DropIns, "a2a"):
		c.fail("publicUrl", "is for the cards of A2A: write dropIns: [a2a]")
	}
}
