package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pageside/pageside/config"
	pagerun "github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/suggest"
)

// runConfig is what the configuration says about runs.
func runConfig(built *config.Site, st store.Store, log *slog.Logger) pagerun.Config {
	cfg := pagerun.Config{Store: st, Agents: built.Agents, Logger: log}
	if p := built.Source.Instructions; p != nil {
		cfg.TrustInstructions = p.Client == "trust"
	}
	if l := built.Source.Limits; l != nil {
		cfg.MaxLive = l.Runs
	}
	if r := built.Source.Runs; r != nil {
		cfg.Policy, cfg.OnDisconnect = pagerun.Policy(r.WhenBusy), pagerun.Disconnect(r.OnDisconnect)
		cfg.Queue, cfg.Grace, cfg.Timeout = time.Duration(r.Queue), time.Duration(r.Grace), time.Duration(r.Timeout)
		cfg.KeepEvents, cfg.KeepDeleted = time.Duration(r.KeepEvents), time.Duration(r.KeepDeleted)
	}
	return cfg
}

func serverConfig(what site, runs *pagerun.Manager, st store.Store, log *slog.Logger) server.Config {
	cfg := server.Config{Runs: runs, Store: st, Web: what.web, Mount: what.mount, Logger: log, Suggester: suggester(what.built)}
	if l := what.built.Source.Limits; l != nil {
		cfg.MaxBody = int64(l.Body)
	}
	return cfg
}

// suggester makes suggestions as the configuration says; nil where it names no model.
func suggester(built *config.Site) *suggest.Suggester {
	if built.Suggester == nil {
		return nil
	}
	s := built.Source.Suggestions
	return suggest.New(suggest.Config{Model: built.Suggester, Every: time.Duration(s.Every), Burst: s.Burst, KeepFor: time.Duration(s.KeepFor)})
}

// retireAfter is how long the sessions of a configuration that was replaced stay open: runs that began with it may still be live.
const retireAfter = 15 * time.Minute

// watch serves the configuration as it is, until the function it returns is called: runs go on with what they began with.
func watch(ctx context.Context, what site, runs *pagerun.Manager, handler *server.Server, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	current := what.built
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := config.Watch(ctx, what.built, what.options, hangup, func(next *config.Site) error {
			if err := runs.SetAgents(next.Agents); err != nil {
				return err
			}
			handler.SetSuggester(suggester(next))
			old := current
			time.AfterFunc(retireAfter, func() { _ = old.Close() })
			current = next
			return nil
		})
		if err != nil {
			log.Warn("changes of the configuration are not seen", "error", err)
		}
	}()
	return func() {
		signal.Stop(hangup)
		cancel()
		<-done
		_ = current.Close() // closing the one it began with twice does no harm
	}
}
