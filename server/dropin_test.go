package server_test

import (
	"net/http"
	"strings"
	"testing"

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
	s := newSite(t, func(c *server.Config) { c.DropIns = []server.DropIn{elsewhere{}} })
	for header, status := range map[string]int{
		"": 200, "Sec-Fetch-Site: cross-site": 403, "Origin: https://elsewhere.example": 403, "X-Forwarded-For: 192.0.2.1": 403,
	} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/_plugins/ml/look", nil)
		must(t, err)
		if name, value, ok := strings.Cut(header, ": "); ok {
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(req)
		must(t, err)
		if body := s.read(resp, status); status == 200 && body != "\"local\"\n" {
			t.Errorf("the answer is %s", body)
		}
	}
}
