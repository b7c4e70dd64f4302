package faults

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestOneRunForOneID: the same run posted 16 times at once is one run and one model call, and
// everybody reads the same bytes. Another body under the id is refused. The same id of another user
// is a run of his own.
func TestOneRunForOneID(t *testing.T) {
	takesChances(t)
	beside(t)
	s := newLocal(t, localConfig{})
	eve := newClient(t, s.url)
	eve.subject = "eve"
	rounds := count(50, 1000)
	posts, refused := 0, 0
	for n := range rounds {
		id := fmt.Sprintf("same%d", n)
		right := ask("t-"+id, id, step{Words: 3})
		wrong := ask("t-"+id, id+"-wrong", step{Words: 1})
		hers := ask("t-"+id, id+"-eve", step{Words: 2})
		wrong.RunID, hers.RunID = id, id
		got := make([]*stream, 18)
		ctx := within(t, hang)
		var clients sync.WaitGroup
		gate := make(chan struct{})
		for i := range got {
			clients.Go(func() {
				<-gate
				switch i {
				case 16:
					got[i] = eve.post(ctx, hers)
				// who comes first decides which body is the right one; this one comes behind
				case 17:
					time.Sleep(time.Duration(n%4) * time.Millisecond)
					got[i] = s.post(ctx, wrong)
				default:
					got[i] = s.post(ctx, right)
				}
			})
		}
		close(gate)
		clients.Wait()
		posts += len(got)
		winner, loser := right, wrong
		first := got[0]
		if got[17].status == http.StatusOK {
			winner, loser, first = wrong, right, got[17]
		}
		log := logOf(t, s.store, ada, id)
		for i, g := range got[:16] {
			if winner == right && (g.status != http.StatusOK || !bytes.Equal(g.seen, log)) {
				t.Errorf("round %d, post %d: %d %s %v; %s", n, i, g.status, g.refuse, g.err, difference(g.seen, log))
			}
			if winner == wrong && g.status != http.StatusConflict {
				t.Errorf("round %d, post %d with another body: %d %s", n, i, g.status, g.refuse)
			}
		}
		if winner == right && (got[17].status != http.StatusConflict || !strings.Contains(got[17].refuse, "run_conflict")) {
			t.Errorf("round %d: another body is answered %d %s", n, got[17].status, got[17].refuse)
		}
		if !bytes.Equal(first.seen, log) {
			t.Errorf("round %d: who won was answered %d %s %v, and %s", n, first.status, first.refuse, first.err, difference(first.seen, log))
		}
		if later := s.post(ctx, loser); later.status != http.StatusConflict {
			t.Errorf("round %d: another body, later, is answered %d %s", n, later.status, later.refuse)
		}
		refused++
		if a, b := len(s.llm.requests(id)), len(s.llm.requests(id+"-wrong")); a+b != 1 {
			t.Errorf("round %d: %d and %d model calls", n, a, b)
		}
		if _, _, err := checkRun(id, got[16].seen); err != nil || len(s.llm.requests(id+"-eve")) != 1 {
			t.Errorf("round %d: the other user's run of this id: %d %s %v", n, got[16].status, got[16].refuse, err)
		}
		if t.Failed() {
			return
		}
	}
	report(t, "one run for one id", "%d rounds of 16 posts at once, one of another body and one of another user: one run and one model call each; %d posts, %d bodies refused after the end too", rounds, posts, refused)
}
