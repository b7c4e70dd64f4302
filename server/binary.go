package server

import (
	"fmt"

	"github.com/pageside/pageside/agui"
)

// keepAliveEvent is the keep-alive of the binary framing, which has no comments: an empty frame
// breaks the stock client, and one it does not know makes it warn.
var keepAliveEvent = func() []byte {
	frame, err := agui.AppendProto(nil, "",
		fmt.Appendf(nil, `{"type":"CUSTOM","name":%q,"value":null}`, agui.ReservedPrefix+"keep-alive"))
	if err != nil {
		panic(err)
	}
	return frame
}()

// beat keeps an idle stream open. In the binary framing it is an event, legal only inside a run;
// outside, it only makes sure that the headers are sent.
func (o *output) beat() bool {
	switch {
	case !o.binary:
		return o.send(keepAlive)
	case o.inRun:
		return o.send(keepAliveEvent)
	}
	return o.send(nil)
}

// comment sends what is besides the events. The binary framing has no way to say it.
func (o *output) comment(text []byte) {
	if !o.binary {
		o.send(text)
	}
}
