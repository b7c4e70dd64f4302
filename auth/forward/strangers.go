package forward

import (
	"errors"
	"net/http"
	"net/netip"
	"time"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/limit"
)

// What an address may have the application asked about credentials that are not known to be good.
// Good answers cost nothing: behind a reverse proxy all users share its address.
var badAnswers = limit.Rate{PerSecond: 10, Burst: 100}

const (
	questionsAtOnce = 32
	maxAddresses    = 100_000 // that are told apart
)

// strangers bounds the questions about unknown credentials.
type strangers struct {
	refused   *limit.Buckets[netip.Prefix]
	questions *limit.Gauge[netip.Prefix]
}

func newStrangers() strangers {
	return strangers{limit.NewBuckets[netip.Prefix](maxAddresses), &limit.Gauge[netip.Prefix]{Each: questionsAtOnce}}
}

// admit counts a question until answered is called, or refuses it.
func (s *strangers) admit(from netip.Prefix) error {
	if wait := s.refused.Wait(from, badAnswers, time.Now()); wait > 0 {
		return auth.TooMany(sessionMethod, "too many unknown credentials came from this address", wait)
	}
	if s.questions.Take(from, 1) != limit.None {
		return auth.TooMany(sessionMethod, "too many unknown credentials came from this address at once", time.Second)
	}
	return nil
}

// answered ends what admit counted. An application that cannot be reached says nothing about an
// address.
func (s *strangers) answered(from netip.Prefix, err error) {
	s.questions.Give(from, 1)
	if err != nil && !errors.Is(err, auth.ErrUnavailable) {
		s.refused.Take(from, badAnswers, time.Now())
	}
}

// addressOf returns the address that a request came from. Who has one IPv6 address has its network.
func addressOf(r *http.Request) netip.Prefix {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Prefix{} // a Unix socket: one address
	}
	addr, bits := at.Addr().Unmap().WithZone(""), 32
	if addr.Is6() {
		bits = 64
	}
	return netip.PrefixFrom(addr, bits).Masked()
}
