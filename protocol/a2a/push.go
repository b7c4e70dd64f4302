package a2a

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/pageside/pageside/internal/upstream"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
)

const (
	maxHooks  = 10      // of one task
	maxHeader = 4 << 10 // bytes of a token, or of credentials
)

// check refuses a config whose address cannot be sent to. at is its field in the request, for the
// error.
func (n *Notifier) check(c *a2a.PushConfig, at string) error {
	u, err := url.Parse(c.URL)
	if err == nil {
		err = n.out.guard.CheckURL(u)
	} else {
		err = errors.New("cannot be read") // the parser's error repeats it
	}
	a := c.Auth
	switch {
	case len(c.ID) > maxID:
		return invalid(at+"id", fmt.Sprintf("must not be longer than %d bytes", maxID))
	case err != nil:
		return invalid(at+"url", err.Error())
	case !isHeader(c.Token):
		return invalid(at+"token", fmt.Sprintf("must be at most %d bytes without control characters", maxHeader))
	case a != nil && upstream.CheckHeaderName(a.Scheme, nil) != nil: // a token, too (RFC 9110)
		return invalid(at+"authentication.scheme", "must be one of HTTP, such as Bearer")
	case a != nil && !isHeader(a.Credentials):
		return invalid(at+"authentication.credentials",
			fmt.Sprintf("must be at most %d bytes without control characters", maxHeader))
	}
	return nil
}

// isHeader reports whether a text may stand in a header.
func isHeader(text string) bool {
	return len(text) <= maxHeader && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// shown returns a config as clients read it: without the credentials.
func shown(c a2a.PushConfig, w store.Webhook) *a2a.PushConfig {
	c.TaskID, c.ID = a2a.TaskID(w.RunID), w.ID
	if c.Auth != nil {
		c.Auth = &a2a.PushAuthInfo{Scheme: c.Auth.Scheme}
	}
	return &c
}

// keep stores a config for a task. Later changes of the task are sent to it.
func (n *Notifier) keep(x *server.Exchange, t *task, c a2a.PushConfig) (*a2a.PushConfig, error) {
	if err := x.PermitPush(); err != nil {
		return nil, err
	}
	w := store.Webhook{RunID: string(t.ID), ID: cmp.Or(c.ID, rand.Text()), Told: t.told()}
	hooks, err := n.store.Webhooks(x.Context(), x.Owner, w.RunID)
	if err != nil {
		return nil, run.StoreError("read the push notification configs of a task", err)
	}
	known := slices.ContainsFunc(hooks, func(h store.Webhook) bool { return h.ID == w.ID })
	if len(hooks) >= maxHooks && !known {
		return nil, a2a.NewError(a2a.ErrUnsupportedOperation,
			fmt.Sprintf("the task has %d push notification configs already", maxHooks))
	}
	w.Config = n.seals.seal(x.Owner, w, &c)
	if err := n.store.PutWebhook(x.Context(), x.Owner, w); err != nil {
		return nil, run.StoreError("store a push notification config", err)
	}
	n.follow(key{x.Owner, t.ContextID, w.RunID})
	return shown(c, w), nil
}

// shown returns a stored config as clients read it. It leaves out credentials that cannot be
// opened, so that the client can still delete or replace the config.
func (n *Notifier) shown(o store.Owner, w store.Webhook) *a2a.PushConfig {
	c, err := n.seals.open(o, w)
	if err != nil {
		n.log.Error("a push notification config cannot be shown as it is", "task", w.RunID, "config", w.ID,
			"error", err)
	}
	return shown(*c, w)
}

const noPush = "push notifications are not supported: subscribe to the task"

// hooks returns the configs of one of the caller's tasks.
func (h *handler) hooks(taskID a2a.TaskID) ([]store.Webhook, error) {
	if h.push == nil {
		return nil, a2a.NewError(a2a.ErrPushNotificationNotSupported, noPush)
	}
	if taskID == "" {
		return nil, invalid("taskId", "must not be empty")
	}
	if _, err := h.x.Threads().Of(string(taskID)); err != nil {
		return nil, err
	}
	hooks, err := h.push.store.Webhooks(h.x.Context(), h.x.Owner, string(taskID))
	return hooks, run.StoreError("read the push notification configs of a task", err)
}

// hook returns one of them.
func (h *handler) hook(taskID a2a.TaskID, id string) (store.Webhook, error) {
	all, err := h.hooks(taskID)
	if err != nil {
		return store.Webhook{}, err
	}
	i := slices.IndexFunc(all, func(w store.Webhook) bool { return w.ID == id })
	switch {
	case id == "":
		return store.Webhook{}, invalid("id", "must not be empty")
	case i < 0:
		return store.Webhook{}, a2a.NewError(a2a.ErrTaskNotFound, "the task has no such push notification config")
	}
	return all[i], nil
}

// CreateTaskPushConfig is part of a2asrv.RequestHandler.
func (h *handler) CreateTaskPushConfig(_ context.Context, c *a2a.PushConfig) (*a2a.PushConfig, error) {
	kept, err := h.create(c)
	return told(h, kept, err)
}

func (h *handler) create(c *a2a.PushConfig) (*a2a.PushConfig, error) {
	switch {
	case h.push == nil:
		return nil, a2a.NewError(a2a.ErrPushNotificationNotSupported, noPush)
	case c.TaskID == "":
		return nil, invalid("taskId", "must not be empty")
	}
	if err := h.push.check(c, ""); err != nil {
		return nil, err
	}
	t, err := load(h.x, string(c.TaskID))
	if err != nil {
		return nil, err
	}
	return h.push.keep(h.x, t, *c)
}

// GetTaskPushConfig is part of a2asrv.RequestHandler.
func (h *handler) GetTaskPushConfig(_ context.Context, p *a2a.GetTaskPushConfigRequest) (*a2a.PushConfig, error) {
	w, err := h.hook(p.TaskID, p.ID)
	if err != nil {
		return nil, h.fail(err)
	}
	return h.push.shown(h.x.Owner, w), nil
}

// ListTaskPushConfigs is part of a2asrv.RequestHandler. All configs are on one page.
func (h *handler) ListTaskPushConfigs(
	_ context.Context, p *a2a.ListTaskPushConfigRequest,
) (*a2a.ListTaskPushConfigResponse, error) {
	all, err := h.hooks(p.TaskID)
	switch {
	case err != nil:
	case p.PageToken != "":
		err = invalid("pageToken", "is not one of this server: all configs are on one page")
	case p.PageSize < 0:
		err = invalid("pageSize", "must not be negative")
	}
	list := &a2a.ListTaskPushConfigResponse{Configs: []*a2a.PushConfig{}}
	for _, w := range all {
		list.Configs = append(list.Configs, h.push.shown(h.x.Owner, w))
	}
	return told(h, list, err)
}

// DeleteTaskPushConfig is part of a2asrv.RequestHandler.
func (h *handler) DeleteTaskPushConfig(_ context.Context, p *a2a.DeleteTaskPushConfigRequest) error {
	w, err := h.hook(p.TaskID, p.ID)
	if err == nil {
		err = run.StoreError("delete a push notification config",
			h.push.store.DeleteWebhook(h.x.Context(), h.x.Owner, w.RunID, w.ID))
	}
	if err != nil {
		return h.fail(err)
	}
	h.out.void = true
	return nil
}
