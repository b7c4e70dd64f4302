package run

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/store"
)

// Config configures a Manager. Zero durations and limits mean the defaults.
type Config struct {
	Store  store.Store
	Agents []Agent      // Loop makes one of the built-in agent
	Logger *slog.Logger // default slog.Default()

	Audit audit.Recorder // records what users and tools do, and who reaches a limit; may be nil

	Policy Policy // for a run whose thread has a live run; default PolicyAuto
	// Policies holds the policies of agents, by id, that have one of their own.
	Policies map[string]Policy

	OnDisconnect Disconnect    // for a run without readers; default DisconnectDetach
	Grace        time.Duration // with DisconnectCancel, allowed time without readers; default 10 s

	// ClientInstructions is what becomes of the client's system and developer messages, in which a
	// page tells the model about itself; default InstructionsGuidance.
	ClientInstructions ClientInstructions

	Queue   time.Duration // longest wait for the thread's live run; default 30 s
	Timeout time.Duration // longest duration of a run; default 10 min
	// bytes of a live run's stream kept in memory; older ones are read from the store. Default 1
	// MiB
	Ring    int
	Keep    int // bytes of ended runs' streams kept in memory; default 1 MiB
	MaxSize int // bytes of one run's stream, beyond which the run fails; default 64 MiB
	MaxLive int // live and waiting runs of everybody; default 10,000

	Limits Limits // of single users, tenants, threads and runs

	// how long the store keeps the events of ended runs; default 1 h, negative means forever
	KeepEvents time.Duration
	// how long deleted threads can be restored; default 30 days, negative means forever
	KeepDeleted time.Duration
}

// ClientInstructions determines what the client's system and developer messages are to the model.
type ClientInstructions string

// Values of ClientInstructions.
const (
	// a section of the system prompt, named as the page's and below the operator's
	InstructionsGuidance ClientInstructions = "guidance"
	InstructionsData     ClientInstructions = "data"   // an item of the page context
	InstructionsIgnore   ClientInstructions = "ignore" // left out, and logged
)

// maxGuidance is the most bytes that a client's instructions may have together.
const maxGuidance = 16 << 10

// Policy determines what happens to a run whose thread has a live run.
type Policy string

// Policies.
const (
	// wait, but a new user message supersedes a live run without readers
	PolicyAuto      Policy = "auto"
	PolicyQueue     Policy = "queue"     // wait
	PolicyReject    Policy = "reject"    // refuse immediately
	PolicySupersede Policy = "supersede" // cancel the live run and those waiting
)

// Disconnect determines what happens to a run without readers.
type Disconnect string

// Values of Disconnect.
const (
	DisconnectDetach Disconnect = "detach" // it continues
	// it is cancelled if no reader returns within the grace period
	DisconnectCancel Disconnect = "cancel"
)

func (cfg Config) withDefaults() (Config, error) {
	cfg.Policy = cmp.Or(cfg.Policy, PolicyAuto)
	cfg.OnDisconnect = cmp.Or(cfg.OnDisconnect, DisconnectDetach)
	cfg.ClientInstructions = cmp.Or(cfg.ClientInstructions, InstructionsGuidance)
	cfg.Grace = cmp.Or(cfg.Grace, 10*time.Second)
	cfg.Queue = cmp.Or(cfg.Queue, 30*time.Second)
	cfg.Timeout = cmp.Or(cfg.Timeout, 10*time.Minute)
	cfg.Ring = cmp.Or(cfg.Ring, 1<<20)
	cfg.Keep = cmp.Or(cfg.Keep, 1<<20)
	cfg.MaxSize = cmp.Or(cfg.MaxSize, 64<<20)
	cfg.MaxLive = cmp.Or(cfg.MaxLive, 10_000)
	cfg.Limits = cfg.Limits.WithDefaults()
	cfg.KeepEvents = cmp.Or(cfg.KeepEvents, time.Hour)
	cfg.KeepDeleted = cmp.Or(cfg.KeepDeleted, 30*24*time.Hour)
	cfg.Logger = cmp.Or(cfg.Logger, slog.Default())
	if err := cfg.Policy.check(); err != nil {
		return cfg, err
	}
	switch cfg.ClientInstructions {
	case InstructionsGuidance, InstructionsData, InstructionsIgnore:
	default:
		return cfg, fmt.Errorf("client instructions %q: they are guidance, data or ignore", cfg.ClientInstructions)
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
