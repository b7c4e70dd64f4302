package sse

// KeepAlive is a comment that keeps proxies from closing a silent stream.
const KeepAlive = ": keep-alive\n\n"

// AppendFrame appends one frame: an id line, unless id is empty, and one data line. data must hold
// no line break, which no JSON document written without indentation does, and id none either.
func AppendFrame(dst []byte, id string, data []byte) []byte {
	dst = AppendStart(dst, id)
	dst = append(dst, data...)
	return append(dst, '\n', '\n')
}

// AppendStart appends everything of a frame that stands before its data, for callers that append
// the data themselves and then "\n\n".
func AppendStart(dst []byte, id string) []byte {
	if id != "" {
		dst = append(dst, "id: "...)
		dst = append(dst, id...)
		dst = append(dst, '\n')
	}
	return append(dst, "data: "...)
}
