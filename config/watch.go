package config

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long a file must be left alone before it is read: editors write in pieces.
const settle = 150 * time.Millisecond

// Watch builds the site again whenever its file or one that it refers to changes, and whenever something comes from again, and hands it to
// apply, which takes over closing it. A file that cannot be built is logged and changes nothing. Watch returns when ctx ends.
func Watch(ctx context.Context, site *Site, o Options, again <-chan os.Signal, apply func(*Site) error) error {
	log := o.Logger
	if log == nil {
		log = slog.Default()
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch the configuration: %w", err)
	}
	defer w.Close()
	files := watched(w, site.Source, log)
	quiet := time.NewTimer(0)
	if !quiet.Stop() {
		<-quiet.C
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-w.Events:
			if files[filepath.Clean(e.Name)] && !e.Has(fsnotify.Chmod) {
				quiet.Reset(settle)
			}
			continue
		case err := <-w.Errors:
			log.Warn("watching the configuration", "error", err)
			continue
		case <-again:
		case <-quiet.C:
		}
		source, ok := reload(ctx, site.Source.Path, o, log, apply)
		if ok {
			files = watched(w, source, log)
		}
	}
}

// reload builds and applies the file as it is now.
func reload(ctx context.Context, path string, o Options, log *slog.Logger, apply func(*Site) error) (*Source, bool) {
	source, err := Load(path)
	if err == nil {
		var site *Site
		if site, err = Build(ctx, source, o); err == nil {
			err = apply(site)
		}
	}
	if err != nil {
		log.Error("the configuration was changed and cannot be used: what was there before stays in place", "error", err)
		return nil, false
	}
	log.Info("the configuration was read again", "file", path)
	return source, true
}

// watched watches the folders of a source's files: editors replace files, and a watch on a file would stay with the old one.
func watched(w *fsnotify.Watcher, s *Source, log *slog.Logger) map[string]bool {
	files := map[string]bool{}
	for _, name := range s.Files() {
		abs, err := filepath.Abs(name)
		if err != nil {
			continue
		}
		files[abs] = true
		if err := w.Add(filepath.Dir(abs)); err != nil {
			log.Warn("a file of the configuration cannot be watched", "file", abs, "error", err)
		}
	}
	return files
}
