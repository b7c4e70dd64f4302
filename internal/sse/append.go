package sse

// KeepAlive is a comment that keeps proxies from closing an idle stream.
const KeepAlive = ": keep-alive\n\n"

// AppendFrame appends one frame: an id line, unless id is empty, and one data line. Neither data
// nor id may contain a line break; unindented JSON does not.
func AppendFrame(dst []byte, id string, data []byte) []byte {
	dst = AppendStart(dst, id)
	dst = append(dst, data...)
	return append(dst, '\n', '\n')
}

// AppendStart appends everything of a frame before its data, for callers that append the data
// themselves, then "\n\n".
func AppendStart(dst []byte, id string) []byte {
	if id != "" {
		dst = append(dst, "id: "...)
		dst = append(dst, id...)
		dst = append(dst, '\n')
	}
	return append(dst, "data: "...)
}
