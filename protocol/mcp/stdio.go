package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pageside/pageside/server"
)

// Local is the drop-in behind Serve. It serves only this process: the work to do comes in the
// request's context, which no client can write.
type Local struct {
	server.StandardError
	Person bool // as in Protocol
}

type doKey struct{}

// Routes is part of server.Protocol.
func (l Local) Routes() []server.Route {
	return []server.Route{{Pattern: "POST " + path, Relays: !l.Person, Handle: func(x *server.Exchange) error {
		do, ok := x.Context().Value(doKey{}).(func(*server.Exchange) error)
		if !ok {
			return &server.Error{
				Status: http.StatusNotFound, Code: "not_found",
				Message: "this server speaks MCP over its standard input and output",
			}
		}
		return do(x)
	}}}
}

// Serve speaks MCP over a reader and a writer until the reader ends or ctx does. The server has
// Local among its drop-ins, and decides in whose name the client asks. agent is the only one that
// is offered; "" offers all.
func Serve(ctx context.Context, s http.Handler, version, agent string, in io.ReadCloser, out io.WriteCloser) error {
	enter := func(ctx context.Context, _ *sdk.RequestExtra, do func(*server.Exchange) error) error {
		return enterLocal(ctx, s, do)
	}
	err := newServer(version, &offering{enter: enter, only: agent}).Run(ctx, &sdk.IOTransport{Reader: in, Writer: out})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// enterLocal makes a request to the server in this process, by the same path as all others.
// Cancelling the call cancels its run; the request itself lasts until the run has ended.
func enterLocal(ctx context.Context, s http.Handler, do func(*server.Exchange) error) error {
	var err error
	entered := false
	inside := func(x *server.Exchange) error {
		entered = true
		err = do(x)
		return nil
	}
	ctx = context.WithValue(context.WithoutCancel(ctx), doKey{}, inside)
	r, wrong := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost"+path, http.NoBody)
	if wrong != nil {
		return fmt.Errorf("make a request to this process: %w", wrong)
	}
	w := &recorder{header: http.Header{}}
	s.ServeHTTP(w, r)
	if entered {
		return err
	}
	return w.refusal()
}

// recorder is the answer to a request in this process.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(p []byte) (int, error) { return w.body.Write(p) }

// refusal returns why the server has not let a request in.
func (w *recorder) refusal() error {
	var said struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal(w.body.Bytes(), &said); err != nil {
		return fmt.Errorf("the server answered %d: %w", w.status, err)
	}
	return &server.Error{Status: w.status, Code: said.Error.Code, Message: said.Error.Message}
}
