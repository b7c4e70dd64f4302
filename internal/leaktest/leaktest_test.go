package leaktest

import (
	"testing"
	"time"

	"github.com/pageside/pageside/test/must"
)

func TestMain(m *testing.M) { Main(m) }

func TestWhatEndsLateIsNoLeak(t *testing.T) {
	go time.Sleep(time.Second)
	must.Be(t, left(time.Minute), nil, "what is left")
}

func TestWhatNeverEndsIsNamed(t *testing.T) {
	done := make(chan struct{})
	go func() { <-done }()
	must.Fail(t, left(0), "TestWhatNeverEndsIsNamed", "error")
	close(done)
}
