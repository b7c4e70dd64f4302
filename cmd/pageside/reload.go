package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pageside/pageside/audit"
	"github.com/pageside/pageside/compat/a2a"
	"github.com/pageside/pageside/compat/aisdk"
	"github.com/pageside/pageside/compat/chatv1"
	"github.com/pageside/pageside/compat/copilotkit"
	"github.com/pageside/pageside/compat/mcp"
	"github.com/pageside/pageside/compat/openai"
	"github.com/pageside/pageside/compat/opensearch"
	"github.com/pageside/pageside/config"
	pagerun "github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
	"github.com/pageside/pageside/suggest"
)

// runConfig converts what the configuration says about runs.
func runConfig(built *config.Site, st store.Store, log *slog.Logger) pagerun.Config {
	cfg := pagerun.Config{Store: st, Agents: built.Served(), Policies: policiesOf(built), Logger: log, Timeout: runTimeout(built), Audit: recorderOf(built)}
	if p := built.Source.Instructions; p != nil {
		cfg.ClientInstructions = pagerun.ClientInstructions(p.Client)
	}
	cfg.MaxLive, cfg.Limits = runLimits(built.Source.File)
	if r := built.Source.Runs; r != nil {
		cfg.Policy, cfg.OnDisconnect = pagerun.Policy(r.WhenBusy), pagerun.Disconnect(r.OnDisconnect)
		cfg.Queue, cfg.Grace = time.Duration(r.Queue), time.Duration(r.Grace)
		cfg.KeepEvents, cfg.KeepDeleted = time.Duration(r.KeepEvents), time.Duration(r.KeepDeleted)
	}
	return cfg
}

// policiesOf returns what the agents do with runs whose thread has a live run.
func policiesOf(built *config.Site) map[string]pagerun.Policy {
	policies := map[string]pagerun.Policy{}
	for _, a := range built.Source.Agents {
		if a.WhenBusy != "" {
			policies[a.ID] = pagerun.Policy(a.WhenBusy)
		}
	}
	return policies
}

// runTimeout returns how long a run may take.
func runTimeout(built *config.Site) time.Duration {
	if r := built.Source.Runs; r != nil && r.Timeout > 0 {
		return time.Duration(r.Timeout)
	}
	return 10 * time.Minute
}

func serverConfig(what site, runs *pagerun.Manager, st database, push *a2a.Notifier, log *slog.Logger) server.Config {
	cfg := server.Config{Origins: slices.Clone(what.built.Source.Origins), Runs: runs, Store: st, Web: what.web, PagePolicy: what.pagePolicy, Mount: what.mount, Logger: log, Suggester: suggester(what.built, log), Inspector: what.inspector, Authorizer: what.built.Authorizer}
	cfg.MaxBody, cfg.Limits = requestLimits(what.built.Source.File)
	cfg.MaxRequest = cfg.Limits.AllBodies / 2 // so that one leaves room for others
	if l := what.built.Source.Limits; l != nil {
		cfg.MaxMessages = l.Messages
	}
	if what.built.Authenticator != nil {
		cfg.Authenticate = what.built.Authenticator.Authenticate
	}
	if a := what.built.Source.Auth; a != nil {
		cfg.LocalProxy = a.LocalProxy
	}
	if sharing := what.built.Source.Sharing; sharing != nil {
		cfg.NoSharing = !*sharing
	}
	cfg.Audit = recorderOf(what.built)
	for _, name := range what.built.Source.DropIns {
		d := dropInOf(what.built.Source.File, name, push)
		if slices.Contains(what.built.Source.AskInWords, name) {
			d = server.InWords(d)
		}
		cfg.DropIns = append(cfg.DropIns, d)
	}
	return cfg
}

// dropInOf returns a drop-in as the file sets it up.
func dropInOf(f config.File, name string, push *a2a.Notifier) server.DropIn {
	switch person := slices.Contains(f.Personal, name); name {
	case "a2a":
		return a2a.Protocol{Push: push, Person: person, PublicURL: f.PublicURL}
	case "mcp":
		return mcp.Protocol{Version: release(), Person: person}
	}
	return dropIns[name]
}

// dropIns are the protocols that dropIns can name.
var dropIns = map[string]server.DropIn{
	"a2a": a2a.Protocol{}, "ai-sdk": aisdk.Protocol{}, "chat": chatv1.Protocol{},
	"copilotkit": copilotkit.Protocol{}, "mcp": mcp.Protocol{Version: release()}, "openai": openai.Protocol{}, "opensearch": opensearch.Protocol{},
}

// notifier returns what sends push notifications, or nil if the configuration wants none.
func notifier(ctx context.Context, built *config.Site, runs *pagerun.Manager, st store.Store, log *slog.Logger) (*a2a.Notifier, error) {
	if !built.Source.Push {
		return nil, nil
	}
	return a2a.NewNotifier(ctx, a2a.NotifierConfig{Store: st, Runs: runs, Egress: built.Source.PushEgressPolicy(), Logger: log, Keys: built.PushKeys})
}

// recorderOf returns the site's audit log, with none as a nil interface.
func recorderOf(built *config.Site) audit.Recorder {
	if built.Audit == nil {
		return nil
	}
	return built.Audit
}

// suggester returns the suggester of the configuration, or nil if it names no model.
func suggester(built *config.Site, log *slog.Logger) *suggest.Suggester {
	if built.Suggester == nil {
		return nil
	}
	s := built.Source.Suggestions
	return suggest.New(suggest.Config{Model: built.Suggester, Every: time.Duration(s.Every), Burst: s.Burst, KeepFor: time.Duration(s.KeepFor), Logger: log})
}

// watch applies changes of the configuration until stop is called. Live runs keep what they started
// with.
func watch(ctx context.Context, what site, runs *pagerun.Manager, handler *server.Server, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	current, old := what.built, &retired{after: runTimeout(what.built) + time.Minute}
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := config.Watch(ctx, what.built, what.options, hangup, func(next *config.Site) error {
			if err := servesAgents(next.Source); err != nil {
				return err
			}
			if err := runs.SetAgents(next.Served()); err != nil {
				return err
			}
			if err := runs.SetPolicies(policiesOf(next)); err != nil {
				return err
			}
			handler.SetAuthorizer(next.Authorizer)
			handler.SetSuggester(suggester(next, log))
			tellReload(log, what.built.Source, next.Source)
			old.add(current)
			current = next
			return nil
		})
		if err != nil {
			log.Warn("cannot watch the configuration", "error", err)
		}
	}()
	return func() {
		signal.Stop(hangup)
		cancel()
		<-done
		old.close()
		_ = current.Close() // may be closed twice
	}
}

// tellReload says in one line what holds of a changed configuration.
func tellReload(log *slog.Logger, started, now *config.Source) {
	fields := needRestart(started.File, now.File)
	if len(fields) == 0 {
		log.Info("configuration reloaded", "file", now.Path)
		return
	}
	log.Warn("changes of the configuration need a restart; what else has changed holds now", "file", now.Path, "fields", strings.Join(fields, ", "))
}

// servesAgents reports an error if a configuration has no agent.
func servesAgents(s *config.Source) error {
	if len(s.Agents) == 0 {
		return fmt.Errorf("%s: agents: there must be at least one", s.Path)
	}
	return nil
}

// needRestart names the changed parts that are read only at the start.
func needRestart(started, now config.File) (fields []string) {
	for _, f := range []struct {
		name          string
		started, next any
	}{
		{"listen", started.Listen, now.Listen}, {"auth", started.Auth, now.Auth}, {"origins", started.Origins, now.Origins}, {"dropIns", started.DropIns, now.DropIns}, {"personal", started.Personal, now.Personal}, {"askInWords", started.AskInWords, now.AskInWords}, {"publicUrl", started.PublicURL, now.PublicURL}, {"pushNotifications", started.Push, now.Push}, {"pushKeys", started.PushKeys, now.PushKeys}, {"pushEgress", started.PushEgress, now.PushEgress}, {"store", started.Store, now.Store}, {"instructions", started.Instructions, now.Instructions},
		{"runs", started.Runs, now.Runs}, {"limits", started.Limits, now.Limits}, {"audit", started.Audit, now.Audit}, {"sharing", started.Sharing, now.Sharing},
	} {
		if !reflect.DeepEqual(f.started, f.next) {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// retired are replaced sites. Their sessions stay open a while for the runs that started with them.
type retired struct {
	after time.Duration // by then no run that started with the site is live

	mu    sync.Mutex
	sites []*config.Site // oldest first
}

// maxRetired bounds how many replaced sites keep their sessions, each of which may be several
// processes.
const maxRetired = 4

func (r *retired) add(s *config.Site) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sites = append(r.sites, s)
	if len(r.sites) > maxRetired {
		go r.sites[0].Close() // it may take seconds
		r.sites = slices.Delete(r.sites, 0, 1)
	}
	time.AfterFunc(r.after, func() { r.end(s) })
}

// end closes a site whose time is up.
func (r *retired) end(s *config.Site) {
	r.mu.Lock()
	r.sites = slices.DeleteFunc(r.sites, func(other *config.Site) bool { return other == s })
	r.mu.Unlock()
	_ = s.Close()
}

// close closes all of them.
func (r *retired) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range r.sites {
		wg.Go(func() { _ = s.Close() })
	}
	wg.Wait()
	r.sites = nil
}
