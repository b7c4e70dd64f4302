package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
)

// logFormat is the flag --log-format.
type logFormat string

func (f *logFormat) String() string { return string(*f) }

func (f *logFormat) Set(value string) error {
	if value != "text" && value != "json" {
		return fmt.Errorf("must be text or json%s", didYouMean(value, []string{"text", "json"}))
	}
	*f = logFormat(value)
	return nil
}

// logLevel is the flag --log-level.
type logLevel struct{ slog.Level }

func (l *logLevel) String() string { return strings.ToLower(l.Level.String()) }

func (l *logLevel) Set(value string) error {
	if l.Level.UnmarshalText([]byte(value)) != nil {
		return errors.New("must be debug, info, warn or error" + didYouMean(value, []string{
			"debug", "info", "warn", "error",
		}))
	}
	return nil
}

// logger returns the logger that the flags ask for. Packages without a logger of their own get it
// too, so that all lines have one format.
func (c common) logger(stderr io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.logLevel.Level}
	handler := slog.Handler(slog.NewTextHandler(stderr, options))
	if c.logFormat == "json" {
		handler = slog.NewJSONHandler(stderr, options)
	}
	log := slog.New(handler)
	if stderr == io.Writer(os.Stderr) { // else it is a test's
		slog.SetDefault(log)
	}
	return log
}
