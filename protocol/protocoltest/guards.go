package protocoltest

import (
	"testing"

	"github.com/pageside/pageside/limit"
	"github.com/pageside/pageside/server"
)

// Guards checks that a route which starts runs is guarded like POST /v1/agents/{agent}/run: by
// credentials, origin, limits and the checks of the body. body asks for "hello".
func Guards(t *testing.T, d server.Protocol, path, body string) {
	s := Serve(t, d)
	s.Read(s.Do("", "POST", path, body), 401)
	s.Read(s.Do("somebody's", "POST", path, body), 401)
	s.Read(s.Do("anns", "POST", path, body, "Content-Type", "text/plain"), 415)
	s.Read(s.Do("anns", "POST", path, body, "Sec-Fetch-Site", "cross-site", "Origin", "https://elsewhere.example"), 403)
	s.Read(s.Do("anns", "PUT", path, body), 405)
	s.Read(s.Do("anns", "POST", path, body), 200)

	s = Serve(t, d, func(c *server.Config) {
		c.Limits = &server.Limits{Runs: limit.Rate{PerSecond: 0.001, Burst: 1}, StreamsAtOnce: 1}
	})
	s.Read(s.Do("anns", "POST", path, body), 200)
	s.Read(s.Do("anns", "POST", path, body), 429)
	s.Read(s.Do("anns", "POST", "/v1/agents/default/run", "{}"), 429) // they count together
	s.Read(s.Do("bobs", "POST", path, body), 200)
	s.Read(s.Do("anns", "GET", "/v1/threads", nil), 200)

	s = Serve(t, d, func(c *server.Config) { c.Limits = &server.Limits{StreamsAtOnce: 1} })
	thread := `{"protocolVersion":"1.0","threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"hello"}],"tools":[],"context":[]}`
	s.Read(s.Do("anns", "POST", "/v1/agents/default/run", thread), 200)
	open := s.Do("anns", "GET", "/v1/threads/t/events?stay=1", nil)
	s.Read(s.Do("anns", "POST", path, body), 429)
	_ = open.Body.Close()

	s = Serve(t, d, func(c *server.Config) { c.Authenticate = nil })
	s.Read(s.Do("", "POST", path, body), 200)
	s.Read(s.Do("", "POST", path, body, "X-Forwarded-For", "192.0.2.1"), 403)
	s.Read(s.Do("", "POST", path, body, "Origin", "https://elsewhere.example"), 403)
}
