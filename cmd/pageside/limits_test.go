package main

import (
	"math"
	"reflect"
	"testing"

	"github.com/pageside/pageside/config"
	"github.com/pageside/pageside/limit"
	pagerun "github.com/pageside/pageside/run"
	"github.com/pageside/pageside/server"
	"github.com/pageside/pageside/store"
)

// Every limit of the file reaches the part of the server that keeps it.
func TestLimitsOfTheFile(t *testing.T) {
	rate := func(n int) *config.Rate { return &config.Rate{PerMinute: n} }
	f := config.File{Limits: &config.Limits{
		Body: 1, Runs: 2, Inputs: 3, Messages: 4,
		User:   &config.UserLimits{Runs: 5, Inputs: 6, Searches: 7, TokensPerDay: 8, DollarsPerDay: 9.5},
		Tenant: &config.TenantLimits{Runs: 10, TokensPerDay: 11, DollarsPerDay: math.MaxFloat64},
		Thread: &config.ThreadLimits{Waiting: 13, Attachments: 14, AttachmentBytes: 15},
		Run:    &config.RunLimits{Tokens: 16, Dollars: 0.000001},
		Requests: &config.RequestLimits{
			Runs: &config.Rate{PerMinute: 60, Burst: 3}, Actions: rate(2), Instructions: rate(3), Searches: rate(4), Writes: rate(5), Reads: rate(6),
		},
	}}
	all, limits := runLimits(f)
	want := pagerun.Limits{
		UserRuns: 5, TenantRuns: 10, ThreadLine: 13, Inputs: 3, UserInputs: 6, Messages: 4, Attachments: 14, AttachmentBytes: 15, Run: store.Amount{Tokens: 16, MicroDollars: 1},
		Day: store.Quotas{User: store.Amount{Tokens: 8, MicroDollars: 9_500_000}, Tenant: store.Amount{Tokens: 11, MicroDollars: math.MaxInt64}},
	}
	if all != 2 || limits != want {
		t.Errorf("limits of runs are %d, %+v\nwant %+v", all, limits, want)
	}
	body, requests := requestLimits(f)
	wantRequests := &server.Limits{
		Runs: limit.Rate{PerSecond: 1, Burst: 3}, Actions: limit.PerMinute(2), Instructions: limit.PerMinute(3), Searches: limit.PerMinute(4),
		Writes: limit.PerMinute(5), Reads: limit.PerMinute(6), SearchesAtOnce: 7, Bodies: 6, AllBodies: 3,
	}
	if body != 1 || !reflect.DeepEqual(requests, wantRequests) {
		t.Errorf("limits of requests are %d, %+v\nwant %+v", body, requests, wantRequests)
	}
}

// The single user of a server without authentication may have everything; with authentication each
// route has a rate.
func TestLimitsByDefault(t *testing.T) {
	if _, limits := runLimits(config.File{}); limits != (pagerun.Limits{UserRuns: -1, UserInputs: -1}) {
		t.Errorf("without authentication the limits of runs are %+v", limits)
	}
	if _, limits := requestLimits(config.File{}); *limits != (server.Limits{AllBodies: 64 << 20}) {
		t.Errorf("without authentication the limits of requests are %+v", limits)
	}
	f := config.File{Auth: &config.Auth{Mode: "oidc"}}
	if _, limits := runLimits(f); limits != (pagerun.Limits{}) {
		t.Errorf("the limits of runs are %+v, not the defaults", limits)
	}
	_, limits := requestLimits(f)
	for i, v := 0, reflect.ValueOf(*limits); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("%s has no limit", v.Type().Field(i).Name)
		}
	}
}
