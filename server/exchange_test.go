package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pageside/pageside/agui"
	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
)

// elsewhere is a drop-in whose paths are not those of the API.
type elsewhere struct{ server.StandardError }

func (elsewhere) Routes() []server.Route {
	return []server.Route{{Pattern: "GET /_plugins/{name}/look", Handle: func(x *server.Exchange) error {
		x.JSON(x.Owner.Subject)
		return nil
	}}}
}

// TestDropInsAreGuardedWhereverTheyAre, as the API is.
func TestDropInsAreGuardedWhereverTheyAre(t *testing.T) {
	s := newSite(t, func(c *server.Config) { c.Protocols = append(c.Protocols, elsewhere{}) })
	for header, status := range map[string]int{
		"": 200, "Sec-Fetch-Site: cross-site": 403, "Origin: https://elsewhere.example": 403, "X-Forwarded-For: 192.0.2.1": 403,
	} {
		var headers []string
		if header != "" {
			headers = strings.Split(header, ": ")
		}
		body := s.read(s.send(http.MethodGet, "/_plugins/ml/look", "", headers...), status)
		if status == 200 && body != "\"local\"\n" {
			t.Errorf("the answer is %s", body)
		}
	}
}

// relay is a drop-in that starts runs and streams them.
type relay struct{ server.StandardError }

func (relay) Routes() []server.Route {
	return []server.Route{{Pattern: "POST /relay/run", Starts: true, Handle: func(x *server.Exchange) error {
		body, err := io.ReadAll(x.Request.Body)
		if err != nil {
			return err
		}
		in, err := agui.UnmarshalRunAgentInput(body)
		if err != nil {
			return err
		}
		r, err := x.Start("default", in)
		if err != nil {
			return err
		}
		return x.Stream(r.Read(false), func(e run.Event) []byte { return []byte(e.ID) })
	}}}
}

// Runs and streams of drop-ins count with all others.
func TestLimitsOfDropIns(t *testing.T) {
	relayed := func(l server.Limits) *site {
		return newSite(t, func(c *server.Config) {
			c.Authenticate, c.Limits, c.Protocols = byName, &l, append(c.Protocols, relay{})
		})
	}
	s := relayed(server.Limits{Runs: limit.Rate{PerSecond: 0.001, Burst: 2}, Writes: limit.PerMinute(100)})
	s.read(s.as("ada", http.MethodPost, "/relay/run", input("t1", "r1", "hello")), http.StatusOK)
	s.read(s.as("ada", http.MethodPost, "/v1/agents/default/run", input("t2", "r2", "hello")), http.StatusOK)
	s.wantRefused(s.as("ada", http.MethodPost, "/relay/run", input("t3", "r3", "hello")), "rate_limited", "requests.runs")

	s = relayed(server.Limits{StreamsAtOnce: 1})
	if open := s.as("ada", http.MethodPost, "/relay/run", input("t1", "r1", "for ever")); open.StatusCode != http.StatusOK {
		t.Fatalf("a stream within the limit: %d", open.StatusCode)
	}
	s.wantRefused(s.as("ada", http.MethodPost, "/relay/run", input("t2", "r2", "hello")), "rate_limited", "streams")
	s.wantRefused(s.as("ada", http.MethodGet, "/v1/runs/r1/events", ""), "rate_limited", "streams")
	s.read(s.as("bob", http.MethodPost, "/relay/run", input("t1", "r1", "hello")), http.StatusOK)
}
