package payload

import (
	"strings"
)

// begin emits the text before something dropped, which a payload of type t may follow.
func (s *Scanner) begin(t *Type, before string, emit func(Event) error) error {
	if err := say(before, emit); err != nil || t == nil {
		return err
	}
	s.typ, s.raw, s.grown, s.doubt, s.json = t, s.raw[:0], 0, 0, jsonEnd{}
	return emit(Event{Kind: Started, Type: t})
}

// takeJSON consumes the JSON of the payload. It returns the text after it.
func (s *Scanner) takeJSON(text string, emit func(Event) error) (rest string, err error) {
	n := 0
	for {
		found, stop := s.step(text[n:])
		n += found
		if tooLarge := !s.json.over && len(s.raw)+n > MaxBytes; tooLarge && s.doubt > 0 {
			return s.split(text, emit)
		} else if tooLarge {
			s.json.over = true
			if err := emit(Event{Kind: Bad, Type: s.typ, Err: ErrTooLarge}); err != nil {
				return "", err
			}
		}
		switch stop {
		case jsonLine:
			s.noteLine(text[:n])
		case jsonWaits:
			s.held = text[n:]
			return "", s.grow(text[:n], emit)
		case jsonMore:
			return "", s.grow(text[:n], emit)
		case jsonDoubted:
			return s.split(text, emit)
		case jsonEnds, jsonBroken:
			return text[n:], s.complete(text[:n], stop, emit)
		}
	}
}

// step reads on in the JSON, to the next place where it may end.
func (s *Scanner) step(text string) (n int, stop jsonStop) {
	j := &s.json
	if j.newLine && s.owed.fence.n > 0 {
		switch endsFence(text, s.owed.fence) {
		case maybe:
			return 0, jsonWaits
		case yes:
			s.doubt = 0
			return 0, jsonBroken
		}
	}
	j.newLine = false
	if n, stop = j.find(text, s.doubt > 0); stop != jsonToken {
		return n, stop
	}
	switch found := s.continues(text[n:]); {
	case found == maybe:
		return n, jsonWaits
	case found == no && s.doubt > 0:
		return n, jsonDoubted
	case found == no:
		return n, jsonBroken
	}
	j.accepted, s.doubt = true, 0
	return n, jsonGoesOn
}

// noteLine notes a line that ends within a string, the last one of read. After a blank line, or
// after a line that ends like JSON, the string may lack its quote.
func (s *Scanner) noteLine(read string) {
	if s.doubt > 0 || s.json.over {
		return
	}
	line := read[:len(read)-1]
	if n := maxTail - len(line); n > 0 {
		line = string(s.raw[max(0, len(s.raw)-n):]) + line
	}
	line = strings.TrimRight(line[max(0, len(line)-maxTail):], blanks)
	if line != "" && strings.IndexByte("\n}]", line[len(line)-1]) >= 0 {
		s.doubt = len(s.raw) + len(read)
	}
}

// grow takes the next piece of the JSON, and emits what is not in doubt.
func (s *Scanner) grow(piece string, emit func(Event) error) error {
	if s.json.over {
		return nil
	}
	s.raw = append(s.raw, piece...)
	end := len(s.raw)
	if s.doubt > 0 {
		end = s.doubt
	}
	n := end - s.grown
	s.grown = end
	switch {
	case n == 0:
		return nil
	case end < len(s.raw) || n > len(piece):
		piece = string(s.raw[end-n : end])
	}
	return emit(Event{Kind: Grew, Type: s.typ, Text: piece[len(piece)-n:]})
}

// complete ends the payload with the last piece of its JSON.
func (s *Scanner) complete(piece string, stop jsonStop, emit func(Event) error) error {
	if err := s.grow(piece, emit); err != nil {
		return err
	}
	s.state, s.prev = afterJSON, '}'
	if stop == jsonBroken && (s.json.fresh || s.json.newLine) {
		s.state = lineStart
	}
	if s.json.over {
		return nil
	}
	return emit(Event{Kind: Complete, Type: s.typ, Text: string(s.raw)})
}

// split ends the payload where it became doubtful, and returns what follows and text: they are the
// answer's.
func (s *Scanner) split(text string, emit func(Event) error) (rest string, err error) {
	all := string(s.raw) + text
	at := s.doubt
	s.doubt, s.json.fresh, s.held = 0, true, ""
	last := all[min(len(s.raw), at):at]
	s.raw = s.raw[:min(len(s.raw), at)]
	return all[at:], s.complete(last, jsonBroken, emit)
}

// cutOff ends a payload that is unfinished at the end of the answer.
func (s *Scanner) cutOff(held string, emit func(Event) error) error {
	defer s.reset()
	if s.json.over {
		return nil
	}
	s.doubt = 0
	if err := s.grow(held, emit); err != nil {
		return err
	}
	return emit(Event{Kind: Bad, Type: s.typ, Text: string(s.raw), Err: ErrUnfinished})
}
