package guard_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/pageside/pageside/internal/guard"
	"github.com/pageside/pageside/test/must"
)

func TestAPanicIsAnError(t *testing.T) {
	err := func() (err error) {
		defer guard.Error(&err)
		panic(io.ErrUnexpectedEOF)
	}()
	p, ok := errors.AsType[*guard.Panic](err)
	if !ok || p.Value != io.ErrUnexpectedEOF {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(err.Error(), io.ErrUnexpectedEOF.Error()) || !strings.Contains(err.Error(), "TestAPanicIsAnError") {
		t.Errorf("it says neither what it was nor where: %v", err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("it is taken for the error that was panicked with")
	}
}

func TestWithoutAPanicNothingChanges(t *testing.T) {
	err := func() (err error) {
		defer guard.Error(&err)
		return io.EOF
	}()
	must.Be(t, err, io.EOF, "its own error")
}

func TestAPanicIsLogged(t *testing.T) {
	var out bytes.Buffer
	func() {
		defer guard.Log(slog.New(slog.NewTextHandler(&out, nil)), "a title could not be made", "thread", "t1")
		panic("no luck")
	}()
	for _, want := range []string{"a title could not be made", "thread=t1", "no luck", "TestAPanicIsLogged"} {
		must.Have(t, out.String(), want, "the log")
	}
}
