package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// response is what one run's stream was made of.
type response struct {
	g *gen
	w *worker

	start, first, firstText, last, end time.Time

	started, finished, toolResult                bool
	events, texts, tokens, textBytes, toolEvents int64
	size                                         int64
	lastKind                                     int
	answerID, answer                             []byte // with -again, as JSON has them
	err                                          error  // what was wrong with an event
}

// read reads the stream to its end, line by line.
func (r *response) read(body *bufio.Reader) error {
	var long []byte // the beginning of a line that is longer than the buffer
	for {
		line, err := body.ReadSlice('\n')
		r.size += int64(len(line))
		if err == bufio.ErrBufferFull {
			long = append(long, line...)
			continue
		}
		if len(long) > 0 {
			long = append(long, line...)
			line = long
		}
		if len(line) > 6 && string(line[:5]) == "data:" {
			r.event(bytes.TrimSpace(line[5:]))
		}
		long = long[:0]
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// event takes in one event, or the end of a stream of OpenAI's.
func (r *response) event(data []byte) {
	if string(data) == "[DONE]" {
		return
	}
	r.last = time.Now()
	if r.events == 0 {
		r.first = r.last
	}
	r.events++
	if r.g.strict && !json.Valid(data) {
		r.refuse(data, "invalid JSON event")
	}
	r.lastKind = r.kind(data)
	switch r.lastKind {
	case kStart:
		r.started = true
	case kFinish:
		r.finished = true
	case kError:
		r.refuse(data, "RUN_ERROR event")
	case kToolArgs, kToolStart:
		r.toolEvents++
	case kToolResult:
		r.toolResult = true
	case kText:
		r.text(data)
	}
}

func (r *response) refuse(data []byte, reason string) {
	r.w.bad = string(data[:min(len(data), 300)])
	r.err = errors.New(reason)
}

// kind returns what an event is.
func (r *response) kind(data []byte) int {
	if r.g.p.kinds == nil {
		return r.openAIKind(data)
	}
	if rest, ok := bytes.CutPrefix(data, []byte(`{"type":"`)); ok {
		return r.g.p.kinds[string(rest[:bytes.IndexByte(rest, '"')])]
	}
	var t struct{ Type string }
	if json.Unmarshal(data, &t) != nil {
		return kOther
	}
	return r.g.p.kinds[t.Type]
}

func (r *response) openAIKind(data []byte) int {
	switch {
	case r.events == 1:
		return kStart
	case bytes.Contains(data, []byte(`"content":"~`)):
		return kText
	case bytes.Contains(data, []byte(`"finish_reason":"`)):
		return kFinish
	}
	return kOther
}

// text takes in an event with a piece of the answer.
func (r *response) text(data []byte) {
	s, ok := strVal(data, r.g.p.delta[kText])
	if !ok {
		return
	}
	r.texts++
	if r.texts == 1 {
		r.firstText = r.last
	}
	if r.g.again > 0 {
		id, _ := strVal(data, "messageId")
		r.answerID, r.answer = append(r.answerID[:0], id...), append(r.answer, s...)
	}
	if bytes.IndexByte(s, '\\') >= 0 {
		var plain string
		json.Unmarshal(append(append([]byte{'"'}, s...), '"'), &plain)
		s = []byte(plain)
	}
	r.textBytes += int64(len(s))
	if r.w.measure && r.g.chunkB > 0 && len(s)%r.g.chunkB == 0 {
		r.stamps(s)
	}
}

// stamps measures how long ago the mock wrote each chunk of a text: the time stands in it.
func (r *response) stamps(s []byte) {
	now := r.last.UnixNano()
	for o := 0; o+17 <= len(s) && s[o] == '~'; o += r.g.chunkB {
		var written uint64
		for _, c := range s[o+1 : o+17] {
			digit := c - '0'
			if digit > 9 {
				digit = c - 'a' + 10
			}
			written = written<<4 | uint64(digit)
		}
		r.tokens++
		r.w.tok.add(now - int64(written))
	}
}

// check returns what was wrong with the stream as a whole, or with one of its events.
func (r *response) check() error {
	switch {
	case r.err != nil:
		return r.err
	case !r.started:
		return errors.New("no start event")
	case !r.finished || r.lastKind != kFinish:
		return errors.New("last event is not the finish event")
	case r.g.expect > 0 && r.textBytes != int64(r.g.expect):
		return fmt.Errorf("text bytes %d, want %d", r.textBytes, r.g.expect)
	case r.g.tool && (r.toolEvents == 0 || !r.toolResult):
		return fmt.Errorf("tool events %d, result %v", r.toolEvents, r.toolResult)
	}
	return nil
}

// strVal returns the JSON string, raw, that is the value of a key.
func strVal(line []byte, key string) ([]byte, bool) {
	pat := `"` + key + `":`
	i := bytes.Index(line, []byte(pat))
	if i < 0 {
		return nil, false
	}
	i += len(pat)
	for i < len(line) && line[i] == ' ' {
		i++
	}
	if i >= len(line) || line[i] != '"' {
		return nil, false
	}
	s := line[i+1:]
	for j := 0; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case '"':
			return s[:j], true
		}
	}
	return nil, false
}
