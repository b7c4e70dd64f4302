package server

import (
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/pageside/pageside/agui"
)

// acceptsBinary reports whether a request asks for AG-UI's binary framing: by name, since clients
// that send */* do not mean it, and not less than for Server-Sent Events. alone means that it takes
// nothing else.
func acceptsBinary(r *http.Request) (asked, alone bool) {
	var binary, events, others float64
	for _, line := range r.Header.Values("Accept") {
		for item := range strings.SplitSeq(line, ",") {
			media, params, err := mime.ParseMediaType(item)
			q := quality(params)
			switch delete(params, "q"); {
			case err != nil || len(params) > 0:
			case media == agui.ProtoMediaType:
				binary = q
			case media == "text/event-stream":
				events = q
			default:
				others = max(others, q)
			}
		}
	}
	return binary > 0 && binary >= events, binary > 0 && events == 0 && others == 0
}

// quality returns the q of a media range; 0 if it is malformed.
func quality(params map[string]string) float64 {
	q, ok := params["q"]
	if !ok {
		return 1
	}
	n, err := strconv.ParseFloat(q, 64)
	if err != nil || n < 0 || n > 1 {
		return 0
	}
	return n
}

// keepAliveEvent is the keep-alive of the binary framing, which has no comments: an empty frame
// breaks the stock client, and one it does not know makes it warn.
var keepAliveEvent = func() []byte {
	frame, err := agui.AppendProto(nil, "", fmt.Appendf(nil, `{"type":"CUSTOM","name":%q,"value":null}`, agui.ReservedPrefix+"keep-alive"))
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
