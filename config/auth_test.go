package config_test

import (
	"testing"
)

func TestAuthIsChecked(t *testing.T) {
	const oidc = "issuer: https://id.example.com, audience: [a]"
	for text, want := range map[string]string{
		"sharing: true":                         "sharing: needs auth",
		"auth: {}":                              "auth: names no method",
		"auth: {mode: none, apiKeys: {}}":       "auth.mode: none cannot be combined with apiKeys",
		"auth: {mode: open}":                    "auth.mode: must be one of none",
		"auth: {localProxy: true, apiKeys: {}}": "auth.localProxy: is for a server without authentication",
		"auth: {oidc: [{issuer: https://id.example.com, audience: []}]}":                        "auth.oidc[0].audience: must not be empty: what its tokens",
		"auth: {oidc: [{issuer: http://id.example.com, audience: [a]}]}":                        "auth.oidc[0].issuer: must be https",
		"auth: {oidc: [{" + oidc + ", algorithms: [HS256]}]}":                                   "auth.oidc[0].algorithms[0]: must be one of RS256",
		"auth: {oidc: [{" + oidc + ", jwksUrl: 'ftp://x'}]}":                                    "auth.oidc[0].jwksUrl: must be",
		"auth: {oidc: [{" + oidc + ", tenant: a}, {issuer: https://b.example, audience: [a]}]}": "auth.oidc[1].tenant: several issuers need",
		"auth: {oidc: [{" + oidc + ", tenant: a}, {" + oidc + ", tenant: b}]}":                  "auth.oidc[1].issuer: \"https://id.example.com\" is there twice",
		"auth: {forward: {url: https://app.example.com}}":                                       "auth.forward.cookies: must name",
		"auth: {forward: {url: app, cookies: [s]}}":                                             "auth.forward.url: must be a URL",
		"auth: {forward: {url: https://a.example, cookies: [s], cacheFor: 1m}}":                 "auth.forward.cacheFor: must be at most 10s",
		"auth: {apiKeys: {}, forward: {url: https://a.example, authorization: true}}":           "auth.forward.authorization: the header Authorization is read by",
		"auth: {signed: {secret: abc}}":                                                         "auth.signed.secret: looks like a secret",
		"auth: {proxy: {networks: [10.0.0.0/8], secret: abc}}":                                  "auth.proxy.secret: looks like a secret",
		"auth: {proxy: {networks: [], secret: env:S}}":                                          "auth.proxy.networks: must not be empty",
		"auth: {proxy: {networks: [all], secret: env:S}}":                                       "auth.proxy.networks[0]: \"all\" is not an address",
		"auth: {apiKeys: {}}\nlisten: 0.0.0.0:8420":                                             "",
		"listen: 0.0.0.0:8420":                           "listen: without authentication only loopback",
		"auth: {mode: none}\nlisten: 0.0.0.0:8420":       "listen: without authentication only loopback",
		"auth: {localProxy: true}\nlisten: 0.0.0.0:8420": "listen: without authentication only loopback",
	} {
		says(t, text, want)
	}
}
