package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/protocol/a2a"
	"github.com/pageside/pageside/protocol/agui"
	"github.com/pageside/pageside/protocol/aisdk"
	"github.com/pageside/pageside/protocol/chatv1"
	"github.com/pageside/pageside/protocol/copilotkit"
	"github.com/pageside/pageside/protocol/mcp"
	"github.com/pageside/pageside/protocol/openai"
	"github.com/pageside/pageside/protocol/opensearch"
	pagerun "github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/suggest"
)

// runConfig converts what the configuration says about runs.
func (s *site) runConfig() pagerun.Config {
	f := s.built.Source.File
	r := config.Section(f.Runs)
	cfg := pagerun.Config{
		Store: s.store, Agents: s.built.Served(), Policies: policiesOf(s.built), Logger: s.log,
		Timeout: runTimeout(s.built), Audit: s.built.Recorder(),
		ClientInstructions: pagerun.ClientInstructions(config.Section(f.Instructions).Client),
		Policy:             pagerun.Policy(r.WhenBusy), OnDisconnect: pagerun.Disconnect(r.OnDisconnect),
		Queue: time.Duration(r.Queue), Grace: time.Duration(r.Grace),
		KeepEvents: time.Duration(r.KeepEvents), KeepDeleted: time.Duration(r.KeepDeleted),
	}
	cfg.MaxLive, cfg.Limits = runLimits(f)
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
	return cmp.Or(time.Duration(config.Section(built.Source.Runs).Timeout), 10*time.Minute)
}

// serverConfig converts what the configuration says about the server.
func (s *site) serverConfig() server.Config {
	source := s.built.Source
	cfg := server.Config{
		Origins: slices.Clone(source.Origins), Runs: s.runs, Logger: s.log,
		Web: s.web, PagePolicy: s.pagePolicy, Mount: s.mount, Inspector: s.inspector,
		Suggester: suggester(s.built, s.log), Authorizer: s.built.Authorizer, Audit: s.built.Recorder(),
		NoSharing: source.Sharing != nil && !*source.Sharing, LocalProxy: config.Section(source.Auth).LocalProxy,
		MaxMessages: config.Section(source.Limits).Messages,
	}
	cfg.MaxBody, cfg.Limits = requestLimits(source.File)
	cfg.MaxRequest = cfg.Limits.AllBodies / 2 // so that one leaves room for others
	if s.built.Authenticator != nil {
		cfg.Authenticate = s.built.Authenticator.Authenticate
	}
	cfg.Protocols = []server.Protocol{agui.Protocol{}}
	for _, name := range source.DropIns {
		d := s.dropIn(name)
		if slices.Contains(source.AskInWords, name) {
			d = server.InWords(d)
		}
		cfg.Protocols = append(cfg.Protocols, d)
	}
	return cfg
}

// dropIn returns a drop-in as the file sets it up.
func (s *site) dropIn(name string) server.Protocol {
	f := s.built.Source.File
	switch person := slices.Contains(f.Personal, name); name {
	case "a2a":
		return a2a.Protocol{Push: s.push, Person: person, PublicURL: f.PublicURL}
	case "mcp":
		return mcp.Protocol{Version: release(), Person: person}
	}
	return dropIns[name]
}

// dropIns are the protocols that dropIns can name.
var dropIns = map[string]server.Protocol{
	"a2a": a2a.Protocol{}, "ai-sdk": aisdk.Protocol{}, "chat": chatv1.Protocol{},
	"copilotkit": copilotkit.Protocol{}, "mcp": mcp.Protocol{Version: release()}, "openai": openai.Protocol{},
	"opensearch": opensearch.Protocol{},
}

// notifier returns what sends push notifications, or nil if the configuration wants none.
func (s *site) notifier(ctx context.Context) (*a2a.Notifier, error) {
	source := s.built.Source
	if !source.Push {
		return nil, nil
	}
	return a2a.NewNotifier(ctx, a2a.NotifierConfig{
		Store: s.store, Runs: s.runs, Egress: source.PushEgressPolicy(), Logger: s.log, Keys: s.built.PushKeys,
	})
}

// suggester returns the suggester of the configuration, or nil if it names no model.
func suggester(built *config.Site, log *slog.Logger) *suggest.Suggester {
	if built.Suggester == nil {
		return nil
	}
	s := built.Source.Suggestions
	return suggest.New(suggest.Config{
		Model: built.Suggester, Every: time.Duration(s.Every), Burst: s.Burst,
		KeepFor: time.Duration(s.KeepFor), Logger: log,
	})
}

// reload applies changes of the configuration until stop is called. Live runs keep what they
// started with.
func (s *site) reload(ctx context.Context, handler *server.Server) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	current, old := s.built, &retired{after: runTimeout(s.built) + time.Minute}
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := config.Watch(ctx, s.built, s.options, hangup, func(next *config.Site) error {
			if err := s.replace(next, handler); err != nil {
				return err
			}
			old.add(current)
			current = next
			return nil
		})
		if err != nil {
			s.log.Warn("cannot watch the configuration", "error", err)
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

// replace has runs to come use a changed configuration.
func (s *site) replace(next *config.Site, handler *server.Server) error {
	if err := servesAgents(next.Source); err != nil {
		return err
	}
	if err := s.runs.SetAgents(next.Served()); err != nil {
		return err
	}
	if err := s.runs.SetPolicies(policiesOf(next)); err != nil {
		return err
	}
	handler.SetAuthorizer(next.Authorizer)
	handler.SetSuggester(suggester(next, s.log))
	tellReload(s.log, s.built.Source, next.Source)
	return nil
}

// tellReload says in one line what holds of a changed configuration.
func tellReload(log *slog.Logger, started, now *config.Source) {
	fields := needRestart(started.File, now.File)
	if len(fields) == 0 {
		log.Info("configuration reloaded", "file", now.Path)
		return
	}
	log.Warn("changes of the configuration need a restart; what else has changed holds now", "file", now.Path,
		"fields", strings.Join(fields, ", "))
}

// servesAgents reports an error if a configuration has no agent.
func servesAgents(s *config.Source) error {
	if len(s.Agents) == 0 {
		return fmt.Errorf("%s: agents: there must be at least one", s.Path)
	}
	return nil
}

// readAtStart are the parts of a configuration that are read only at the start.
var readAtStart = []string{
	"listen", "auth", "origins", "dropIns", "personal", "askInWords", "publicUrl", "pushNotifications", "pushKeys",
	"pushEgress", "store", "instructions", "runs", "limits", "audit", "sharing",
}

// needRestart names the changed parts that are read only at the start.
func needRestart(started, now config.File) (fields []string) {
	before, after := parts(started), parts(now)
	for _, name := range readAtStart {
		if !reflect.DeepEqual(before[name], after[name]) {
			fields = append(fields, name)
		}
	}
	return fields
}

// parts returns the parts of a configuration by their names in the file.
func parts(f config.File) map[string]any {
	all := map[string]any{}
	for field, value := range reflect.ValueOf(f).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		all[name] = value.Interface()
	}
	return all
}

// retired are replaced sites. Their sessions stay open a while for the runs that started with them.
// A site may be closed twice.
type retired struct {
	after time.Duration // by then no run that started with the site is live
	sites []io.Closer   // the last ones
}

// maxRetired bounds how many replaced sites keep their sessions, each of which may be several
// processes.
const maxRetired = 4

func (r *retired) add(s io.Closer) {
	time.AfterFunc(r.after, func() { _ = s.Close() })
	r.sites = append(r.sites, s)
	if len(r.sites) > maxRetired {
		go r.sites[0].Close() // it may take seconds
		r.sites = slices.Delete(r.sites, 0, 1)
	}
}

// close closes all of them.
func (r *retired) close() {
	var wg sync.WaitGroup
	for _, s := range r.sites {
		wg.Go(func() { _ = s.Close() })
	}
	wg.Wait()
}
