package run

// Reader reads one run's stream from its beginning, during the run and after it. It is for one goroutine.
type Reader struct {
	log    *eventLog
	at     position
	legacy bool
	wake   chan struct{}
	stop   func()
}

// Read returns a reader of the run's stream. With legacy set it reads as a 0.x client must see it.
// Close it when done.
func (r *Run) Read(legacy bool) *Reader {
	wake, stop := r.log.watch()
	return &Reader{log: r.log, legacy: legacy, wake: wake, stop: stop}
}

// Next returns the frames that are ready, or none; done says that none will come any more. The caller must not change them.
func (r *Reader) Next() (frames []byte, done bool) {
	for {
		frames, after, done := r.log.next(r.at, r.legacy)
		moved := after != r.at
		r.at = after
		if len(frames) > 0 || done || !moved {
			return frames, done
		}
	}
}

// Wake is signalled when Next may have more.
func (r *Reader) Wake() <-chan struct{} { return r.wake }

// Close frees the reader.
func (r *Reader) Close() { r.stop() }
