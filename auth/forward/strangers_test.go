package forward_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/pageside/pageside/auth"
	"github.com/pageside/pageside/auth/forward"
	"github.com/pageside/pageside/test/must"
)

// from is a request with a session from an address.
func from(address, session string) *http.Request {
	r := request(session)
	r.RemoteAddr = address
	return r
}

// Whoever makes up cookies neither has the application asked at will, nor ends the sessions of
// others, at his own address or elsewhere.
func TestUnknownCookiesFromOneAddress(t *testing.T) {
	app := newApplication(t)
	cfg := app.config()
	cfg.CacheFor = time.Nanosecond // so that good sessions have to be asked about again
	s := sessions(t, cfg)
	t.Cleanup(s.CloseIdleConnections)
	must.Get(s.Authenticate(from("203.0.113.9:1", "good")))(t)
	asked, tooMany := app.asked.Load(), 0
	for i := range 5000 {
		_, err := s.Authenticate(from("203.0.113.9:"+fmt.Sprint(i+1), fmt.Sprint("made-up-", i)))
		if err == nil {
			t.Fatal("a cookie that is made up was accepted")
		}
		if e, ok := errors.AsType[*auth.Error](err); errors.Is(err, auth.ErrTooMany) && ok && e.Retry > 0 {
			tooMany++
		}
	}
	if n := app.asked.Load() - asked; tooMany < 1000 || int(n) != 5000-tooMany {
		t.Errorf("5000 cookies that are made up: %d questions, %d refused unasked", n, tooMany)
	}
	for _, address := range []string{"203.0.113.9:1", "198.51.100.1:1"} {
		must.Be(t, must.Get(s.Authenticate(from(address, "good")))(t).Subject, "ann", "a good session from %s", address)
	}
}

// Who has one IPv6 address has the 64 bits behind it; another network is somebody else.
func TestNetworksOfIPv6(t *testing.T) {
	app := newApplication(t)
	s := sessions(t, app.config())
	t.Cleanup(s.CloseIdleConnections)
	var err error
	for i := 0; i < 5000 && !errors.Is(err, auth.ErrTooMany); i++ {
		_, err = s.Authenticate(from(fmt.Sprintf("[2001:db8::%x]:1", i+1), fmt.Sprint("made-up-", i)))
	}
	must.FailWith(t, err, auth.ErrTooMany, "addresses of one network")
	must.Be(t, must.Err(s.Authenticate(from("[2001:db8:0:1::1]:1", "good"))), nil, "another network")
}

// Bad credentials are remembered apart: however many there are, from however many addresses, a
// session whose answer still holds is not asked about again.
func TestBadAnswersPushNoSessionOut(t *testing.T) {
	app := newApplication(t)
	cfg := app.config()
	cfg.CacheFor = forward.MaxCache
	s := sessions(t, cfg)
	t.Cleanup(s.CloseIdleConnections)
	must.Get(s.Authenticate(from("192.0.2.1:1", "good")))(t)
	s.FillBad()
	asked := app.asked.Load()
	if _, err := s.Authenticate(from("192.0.2.1:1", "good")); err != nil || app.asked.Load() != asked {
		t.Errorf("after %d bad answers: %v, asked %d more times", s.Bad(), err, app.asked.Load()-asked)
	}
}

// A slow application is not asked more than 32 questions at a time for an address, also if those
// who asked do not wait for the answers.
func TestQuestionsAtOnce(t *testing.T) {
	const most = 32
	arrived, release := make(chan bool), make(chan bool)
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		arrived <- true
		<-release
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(app.Close)
	s := sessions(t, forward.SessionsConfig{URL: app.URL, Cookies: []string{"session"}, Timeout: time.Minute})
	t.Cleanup(s.CloseIdleConnections)
	results := make(chan error, most+2)
	ask := func(address, session string) {
		go func() {
			_, err := s.Authenticate(from(address, session))
			results <- err
		}()
	}
	for i := range most {
		ask("192.0.2.1:1", fmt.Sprint(i))
		<-arrived
	}
	ask("192.0.2.1:2", "one more")
	select {
	case <-arrived:
		close(release)
		t.Fatal("one more question was asked")
	case err := <-results:
		must.FailWith(t, err, auth.ErrTooMany, "one more question")
	}
	ask("192.0.2.2:1", "elsewhere")
	<-arrived
	close(release)
	for range most + 1 {
		if err := <-results; err == nil || errors.Is(err, auth.ErrTooMany) {
			t.Errorf("a question that was asked: %v", err)
		}
	}
}
