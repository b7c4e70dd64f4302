package run

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/store/storetest/temp"
)

// TestPurgedThreadsAreAudited: each thread that is purged is in the log of its tenant, with whose
// it was; one that stays is not.
func TestPurgedThreadsAreAudited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, temp.Store(t), func(c *Config) { c.KeepDeleted = 24 * time.Hour })
		for _, thread := range []string{"t1", "t2", "t3"} {
			events(t, f.start(f.input(thread, "hello")), false)
			if thread != "t2" {
				if _, err := f.store.UpdateThread(t.Context(), ada, thread, store.ThreadChange{Deleted: new(true)}); err != nil {
					t.Fatal(err)
				}
			}
		}
		time.Sleep(25 * time.Hour)
		var got []string
		for _, e := range f.cfg.Audit.(*book).all(func(e audit.Entry) bool { return e.Kind == audit.Thread }) {
			if e.Principal.Tenant != ada.Tenant || e.Principal.Subject != ada.Subject || e.Principal.Method != "server" || e.Decision != audit.Deleted {
				t.Errorf("recorded is %+v", e)
			}
			got = append(got, e.ThreadID)
		}
		if slices.Sort(got); !slices.Equal(got, []string{"t1", "t3"}) {
			t.Errorf("the log has %q", got)
		}
		f.Drain(t.Context())
	})
}
