package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/pageside/pageside/internal/egress"
)

const (
	notifyTimeout = 15 * time.Second
	maxReply      = 64 << 10 // bytes of an answer, which is not read
)

// sender is the library's push.Sender where clients' servers are reached under the rules of egress,
// without following redirects. It sends to 64 at a time.
type sender struct {
	guard  *egress.Guard
	client *http.Client
	slot   chan struct{}
}

func newSender(rules egress.Policy) (*sender, error) {
	rules.Timeout, rules.MaxBytes = notifyTimeout, maxReply
	guard, err := egress.New(rules)
	if err != nil {
		return nil, err
	}
	client := *guard.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &sender{guard, &client, make(chan struct{}, notifyAtOnce)}, nil
}

// SendPush sends a task to a client's server. Its error has nothing secret.
func (s *sender) SendPush(ctx context.Context, c *a2a.PushConfig, e a2a.Event) error {
	select {
	case s.slot <- struct{}{}:
		defer func() { <-s.slot }()
	case <-ctx.Done():
		return ctx.Err()
	}
	body, err := json.Marshal(a2a.StreamResponse{Event: e})
	if err != nil {
		return fmt.Errorf("encode the notification: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("no request can be made of the config")
	}
	req.Header.Set("Content-Type", "application/a2a+json")
	req.Header.Set("User-Agent", "pageside")
	if c.Token != "" {
		req.Header.Set("X-A2A-Notification-Token", c.Token)
	}
	if c.Auth != nil && c.Auth.Credentials != "" {
		req.Header.Set("Authorization", c.Auth.Scheme+" "+c.Auth.Credentials)
	}
	return s.do(req)
}

func (s *sender) do(req *http.Request) error {
	resp, err := s.client.Do(req)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err // without the address, which may hold a secret
	}
	if err != nil {
		return err
	}
	resp.Body.Close()
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return fmt.Errorf("the answer is %d, a redirect, and none is followed", resp.StatusCode)
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return fmt.Errorf("the answer is %d", resp.StatusCode)
	}
	return nil
}
