package mcptool

import "time"

// SetListingAge changes how old a listing of tools may be until the function it returns is called.
func SetListingAge(d time.Duration) (restore func()) {
	old := listingAge
	listingAge = d
	return func() { listingAge = old }
}

// EndOfABrokenSession is why a session ends whose client panics.
func EndOfABrokenSession() error { return (&session{}).ends() }

// Impatient makes calls wait no longer than d for a server that is being started.
func Impatient(s Server, d time.Duration) Server {
	s.patience = d
	return s
}

// Hasty has a server answer our first question within d.
func Hasty(s Server, d time.Duration) Server {
	s.discovery = d
	return s
}
