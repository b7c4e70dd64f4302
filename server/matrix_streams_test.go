package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pageside/pageside/store/storetest/temp"
	"github.com/pageside/pageside/test/must"
)

// TestEveryStreamEndsWithItsToken: on each route that streams, a real token that expires ends the
// open stream. The run goes on.
func TestEveryStreamEndsWithItsToken(t *testing.T) {
	if testing.Short() {
		t.Skip("real tokens expire in real time: only in the long version")
	}
	w := serveMatrix(t, temp.Store(t), tokenIssuer(t))
	ann := people[0]
	w.fill(ann, ann.name)
	end := time.Now().Add(10 * time.Second)
	streams := map[string]io.ReadCloser{}
	for _, c := range matrix {
		if c.live == "" {
			continue
		}
		method, _, _ := strings.Cut(c.route, " ")
		path, body := w.fillIn(c.live, ann, ann.name), ""
		if method == http.MethodPost {
			path, body = c.path, path
		}
		resp := w.open(t.Context(), w.by.until(ann, end), method, path, body)
		defer resp.Body.Close()
		if resp.StatusCode != 200 {
			t.Fatalf("%s: %s", c.route, resp.Status)
		}
		streams[c.route] = resp.Body
	}
	if len(streams) < 3 {
		t.Fatalf("only %d routes stream", len(streams))
	}
	for route, stream := range streams {
		all := must.Get(io.ReadAll(stream))(t)
		if !strings.HasSuffix(string(all), ": the credentials have ended\n\n") || strings.Contains(string(all), "RUN_FINISHED") && strings.Contains(route, "/runs/") {
			t.Errorf("%s: the stream ended with %s", route, all)
		}
	}
	if time.Now().Unix() < end.Unix() {
		t.Error("the streams ended before the token")
	}
	for _, thread := range []string{"w-", "live-"} {
		if runs := w.must(ann, 200, "GET", "/v1/threads/"+thread+ann.name+"/runs", ""); !strings.Contains(runs, `"status":"live"`) {
			t.Errorf("the run of %s did not go on: %s", thread, runs)
		}
	}
}
