package run

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/run/meter"
)

// purgeEvery is the interval for purging expired events and deleted threads.
const purgeEvery = 5 * time.Minute

// purger regularly purges expired data from the store. It uses a timer, not a waiting goroutine.
type purger struct {
	admission *meter.Admission
	log       *slog.Logger
	jobs      []purgeJob

	mu      sync.Mutex
	stopped bool
	timer   *time.Timer
}

type purgeJob struct {
	what string
	keep time.Duration // negative: forever
	do   func(context.Context, time.Time) (int, error)
}

func newPurger(a *meter.Admission, cfg Config) purger {
	return purger{admission: a, log: cfg.Logger, jobs: []purgeJob{
		{"events of ended runs", cfg.KeepEvents, cfg.Store.PurgeEvents},
		{"expired shares", 0, cfg.Store.PurgeShares},
		{"deleted threads", cfg.KeepDeleted, func(ctx context.Context, before time.Time) (int, error) {
			purged, err := cfg.Store.Purge(ctx, before)
			if err := auditPurge(ctx, cfg.Audit, purged); err != nil {
				cfg.Logger.Error("audit entries about purged threads were lost", "error", err)
			}
			return len(purged), err
		}},
	}}
}

// later starts the timer, unless stop was called.
func (p *purger) later() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stopped {
		p.timer = time.AfterFunc(purgeEvery, p.run)
	}
}

func (p *purger) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	if p.timer != nil {
		p.timer.Stop()
	}
}

func (p *purger) run() {
	if !p.admission.Task() {
		return
	}
	defer p.admission.TaskDone()
	defer p.later()
	defer guard.Log(p.log, "expired data could not be purged")
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	for _, job := range p.jobs {
		if job.keep < 0 {
			continue
		}
		if n, err := job.do(ctx, time.Now().Add(-job.keep)); err != nil {
			p.log.Error("expired data could not be purged", "what", job.what, "error", err)
		} else if n > 0 {
			p.log.Info("purged", "what", job.what, "count", n)
		}
	}
}
