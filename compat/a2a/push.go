package a2a

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
)

// pushConfig says where to send a client the notifications of a task.
type pushConfig struct {
	Tenant         string          `json:"tenant,omitempty"` // ignored: credentials say whose it is
	TaskID         string          `json:"taskId,omitempty"`
	ID             string          `json:"id,omitempty"`
	URL            string          `json:"url"`
	Token          string          `json:"token,omitempty"`
	Authentication *authentication `json:"authentication,omitempty"`
}

// authentication is the content of a notification's Authorization header.
type authentication struct {
	Scheme      string `json:"scheme"`
	Credentials string `json:"credentials,omitempty"`
}

const (
	maxHooks  = 10      // of one task
	maxHeader = 4 << 10 // bytes of a token, or of credentials
)

// check refuses a config whose address cannot be sent to. at is its field in the request, for the
// error.
func (n *Notifier) check(c *pushConfig, at string) error {
	u, err := url.Parse(c.URL)
	if err == nil {
		err = n.guard.CheckURL(u)
	} else {
		err = errors.New("cannot be read") // the parser's error repeats it
	}
	a := c.Authentication
	switch {
	case len(c.ID) > maxID:
		return invalid(at+"id", fmt.Sprintf("must not be longer than %d bytes", maxID))
	case err != nil:
		return invalid(at+"url", err.Error())
	case !isHeader(c.Token):
		return invalid(at+"token", fmt.Sprintf("must be at most %d bytes without control characters", maxHeader))
	case a != nil && (a.Scheme == "" || strings.Trim(a.Scheme, tokenChars) != ""):
		return invalid(at+"authentication.scheme", "must be one of HTTP, such as Bearer")
	case a != nil && !isHeader(a.Credentials):
		return invalid(at+"authentication.credentials", fmt.Sprintf("must be at most %d bytes without control characters", maxHeader))
	}
	return nil
}

// tokenChars are what a scheme consists of (RFC 9110, section 5.6.2).
const tokenChars = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// isHeader reports whether a text may stand in a header.
func isHeader(text string) bool {
	return len(text) <= maxHeader && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// shown returns the config as clients read it: without the credentials.
func (c pushConfig) shown(taskID, id string) pushConfig {
	c.TaskID, c.ID = taskID, id
	if c.Authentication != nil {
		c.Authentication = &authentication{Scheme: c.Authentication.Scheme}
	}
	return c
}

// keep stores a config for a task. Later changes of the task are sent to it.
func (n *Notifier) keep(x *server.Exchange, t *task, c pushConfig) (pushConfig, error) {
	if err := x.PermitPush(); err != nil {
		return c, err
	}
	if c.ID == "" {
		c.ID = rand.Text()
	}
	hooks, err := n.store.Webhooks(x.Context(), x.Owner, t.ID)
	if err != nil {
		return c, err
	}
	known := false
	for _, h := range hooks {
		known = known || h.ID == c.ID
	}
	if len(hooks) >= maxHooks && !known {
		return c, fault(codeUnsupported, fmt.Sprintf("the task has %d push notification configs already", maxHooks))
	}
	w := store.Webhook{RunID: t.ID, ID: c.ID, Told: t.told()}
	w.Config = n.seals.seal(x.Owner, w, c)
	if err := n.store.PutWebhook(x.Context(), x.Owner, w); err != nil {
		return c, err
	}
	n.follow(key{x.Owner, t.ContextID, t.ID})
	return c.shown(t.ID, c.ID), nil
}

// hookParams are those of methods about the configs of a task.
type hookParams struct {
	Tenant    string `json:"tenant"` // ignored: credentials say whose it is
	TaskID    string `json:"taskId"`
	ID        string `json:"id"`
	PageSize  int    `json:"pageSize"`
	PageToken string `json:"pageToken"`
}

// hooks reads which task's configs the request is about, and returns them.
func (r *request) hooks(x *server.Exchange, n *Notifier, one bool) (p hookParams, all []store.Webhook, err error) {
	if err = r.decode(&p); err != nil {
		return p, nil, err
	}
	switch {
	case p.TaskID == "":
		return p, nil, invalid("taskId", "must not be empty")
	case one && p.ID == "":
		return p, nil, invalid("id", "must not be empty")
	case one && (p.PageSize != 0 || p.PageToken != ""), p.PageToken != "":
		return p, nil, invalid("pageToken", "is not one of this server: all configs are on one page")
	case p.PageSize < 0:
		return p, nil, invalid("pageSize", "must not be negative")
	}
	if _, err = x.ThreadOf(p.TaskID); err != nil {
		return p, nil, err
	}
	all, err = n.store.Webhooks(x.Context(), x.Owner, p.TaskID)
	return p, all, err
}

// shown returns a stored config as clients read it. It leaves out credentials that cannot be
// opened, so that the client can still delete or replace the config.
func (n *Notifier) shown(o store.Owner, w store.Webhook) pushConfig {
	c, err := n.seals.open(o, w)
	if err != nil {
		n.log.Error("a push notification config cannot be shown as it is", "task", w.RunID, "config", w.ID, "error", err)
	}
	return c.shown(w.RunID, w.ID)
}

func (n *Notifier) create(r *request, x *server.Exchange) error {
	var c pushConfig
	if err := r.decode(&c); err != nil {
		return err
	}
	if c.TaskID == "" {
		return invalid("taskId", "must not be empty")
	}
	if err := n.check(&c, ""); err != nil {
		return err
	}
	t, err := load(x, c.TaskID)
	if err != nil {
		return err
	}
	kept, err := n.keep(x, t, c)
	if err != nil {
		return err
	}
	r.respond(x, kept)
	return nil
}

func (n *Notifier) get(r *request, x *server.Exchange) error {
	p, all, err := r.hooks(x, n, true)
	if err != nil {
		return err
	}
	for _, w := range all {
		if w.ID == p.ID {
			r.respond(x, n.shown(x.Owner, w))
			return nil
		}
	}
	return noHook()
}

func noHook() error { return fault(codeNoTask, "the task has no such push notification config") }

func (n *Notifier) list(r *request, x *server.Exchange) error {
	_, all, err := r.hooks(x, n, false)
	if err != nil {
		return err
	}
	shown := []pushConfig{}
	for _, w := range all {
		shown = append(shown, n.shown(x.Owner, w))
	}
	r.respond(x, map[string]any{"configs": shown})
	return nil
}

func (n *Notifier) remove(r *request, x *server.Exchange) error {
	p, _, err := r.hooks(x, n, true)
	if err != nil {
		return err
	}
	err = n.store.DeleteWebhook(x.Context(), x.Owner, p.TaskID, p.ID)
	if errors.Is(err, store.ErrNotFound) {
		return noHook()
	}
	if err != nil {
		return err
	}
	r.respond(x, struct{}{})
	return nil
}
