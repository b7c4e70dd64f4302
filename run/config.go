package run

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	"github.com/pageside/pageside/agent"
	"github.com/pageside/pageside/store"
)

// Config is what a Manager works with. Zero durations and limits mean the defaults.
type Config struct {
	Store  store.Store
	Agents []*agent.Agent
	Logger *slog.Logger // default slog.Default()

	Policy       Policy        // for a run whose thread has a live run; default PolicyAuto
	OnDisconnect Disconnect    // for a run that nobody reads any more; default DisconnectDetach
	Grace        time.Duration // with DisconnectCancel, how long it may go unread; default 10 s

	// TrustInstructions makes instructions of what a page says about itself, with system messages
	// whose ids begin with "pageside:". Otherwise the model is shown it as data, beside the page's
	// context items.
	TrustInstructions bool

	Queue   time.Duration // how long a run waits for the thread's live run; default 30 s
	Timeout time.Duration // how long a run may take; default 10 min
	// bytes of a live run's stream that stay in memory; older ones are read from the store. Default
	// 1 MiB
	Ring    int
	Keep    int // bytes of ended runs' streams that stay in memory; default 32 MiB
	MaxSize int // bytes of one run's stream, beyond which it fails; default 64 MiB
	MaxLive int // runs that may be live or wait at once; default 10,000

	// how long the store keeps the events of ended runs; default 1 h, negative means forever
	KeepEvents time.Duration
	// how long deleted threads can be restored; default 30 days, negative means forever
	KeepDeleted time.Duration
}

// Policy says what happens to a run whose thread has a live run.
type Policy string

// The policies.
const (
	// it waits, but supersedes a live run that nobody reads if it is a user's new message
	PolicyAuto      Policy = "auto"
	PolicyQueue     Policy = "queue"     // it waits
	PolicyReject    Policy = "reject"    // it is refused at once
	PolicySupersede Policy = "supersede" // the live run and those that wait are cancelled
)

// Disconnect says what happens to a run that nobody reads.
type Disconnect string

// What may happen to it.
const (
	DisconnectDetach Disconnect = "detach" // it goes on
	// it is cancelled if nobody comes back within the grace
	DisconnectCancel Disconnect = "cancel"
)

func (cfg Config) withDefaults() (Config, error) {
	cfg.Policy = cmp.Or(cfg.Policy, PolicyAuto)
	cfg.OnDisconnect = cmp.Or(cfg.OnDisconnect, DisconnectDetach)
	cfg.Grace = cmp.Or(cfg.Grace, 10*time.Second)
	cfg.Queue = cmp.Or(cfg.Queue, 30*time.Second)
	cfg.Timeout = cmp.Or(cfg.Timeout, 10*time.Minute)
	cfg.Ring = cmp.Or(cfg.Ring, 1<<20)
	cfg.Keep = cmp.Or(cfg.Keep, 32<<20)
	cfg.MaxSize = cmp.Or(cfg.MaxSize, 64<<20)
	cfg.MaxLive = cmp.Or(cfg.MaxLive, 10_000)
	cfg.KeepEvents = cmp.Or(cfg.KeepEvents, time.Hour)
	cfg.KeepDeleted = cmp.Or(cfg.KeepDeleted, 30*24*time.Hour)
	cfg.Logger = cmp.Or(cfg.Logger, slog.Default())
	if err := cfg.Policy.check(); err != nil {
		return cfg, err
	}
	switch cfg.OnDisconnect {
	case DisconnectDetach, DisconnectCancel:
		return cfg, nil
	}
	return cfg, fmt.Errorf("on disconnect %q: it is detach or cancel", cfg.OnDisconnect)
}

func (p Policy) check() error {
	switch p {
	case PolicyAuto, PolicyQueue, PolicyReject, PolicySupersede:
		return nil
	}
	return fmt.Errorf("policy %q: it is auto, queue, reject or supersede", p)
}
