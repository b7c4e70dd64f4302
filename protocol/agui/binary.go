package agui

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	wire "github.com/pageside/pageside/agui"
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
			case media == wire.ProtoMediaType:
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
