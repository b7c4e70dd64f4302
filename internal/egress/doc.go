// Package egress calls addresses that a configuration names, or that a model has a part in: with an
// HTTP client that cannot be tricked into reaching the network the server is in.
//
//	guard, err := egress.New(egress.Policy{Hosts: []string{"api.example.com"}})
//	…
//	resp, err := guard.Client().Get("https://api.example.com/v1/papers")
//	if blocked, ok := errors.AsType[*egress.Error](err); ok {
//		// egress to "api.example.com" is not allowed: it leads to 10.0.0.7, a private address
//		log.Print(blocked)
//	}
//
// The rule that counts is checked last, on the address that a connection is about to be made to. So
// a name that resolves differently between a check and the connection gains nothing. Before that,
// URLs are read strictly: only http and https, no user name, no address in disguise, only
// configured ports. Redirects stay on their host. Bodies and times are bounded, and no proxy is
// taken from the environment.
//
// What is asked of the hosts, and with which headers, is up to the caller.
package egress
