// Package httpmodel is the common part of the provider packages: it sends a request, enforces
// timeouts, reads the event stream, and turns every failure into an *llm.Error without keys.
//
// A provider's package adds a request builder, a reader of the provider's chunks (an Answer), and
// its table of errors (Answer.ReadError, which returns a Failure).
//
//	client := httpmodel.New(httpmodel.Config{Model: "acme/m1", URL: url, Key: key})
//	…
//	return httpmodel.Parts(dialect, req, func(fit *llm.Fitted, yield httpmodel.Yield) error {
//		call := client.Call(ctx, fit, yield)
//		return call.Do(encode(fit.Request), &answer{Call: call})
//	})
//
// If a provider's SDK does the sending, as Bedrock's does, Output, Interrupted, Scrubber and the
// errors work without a Client.
//
// Package agent retries calls.
package httpmodel
