// Package egress is how this server calls addresses that a configuration, or what a model wrote
// into one, names: an HTTP client that cannot be talked into reaching the network it stands in.
//
//	guard, err := egress.New(egress.Policy{Hosts: []string{"api.example.com"}})
//	…
//	resp, err := guard.Client().Get("https://api.example.com/v1/papers")
//	if blocked, ok := errors.AsType[*egress.Error](err); ok {
//		log.Print(blocked) // egress to "api.example.com" is not allowed: it leads to 10.0.0.7, a private address
//	}
//
// The rule that counts is checked last: the address a connection is about to be made to, after
// every resolution, so that a name that changes its mind between a check and the connection gains
// nothing. Before that, URLs are read strictly: only http and https, no user name, no address in
// disguise, no port that nobody configured. Redirects stay on their host. Bodies and times are
// bounded, and no proxy is taken from the environment.
//
// What is asked of the hosts, and with which headers, is the caller's business.
package egress
