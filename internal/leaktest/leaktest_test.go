package leaktest

import (
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) { Main(m) }

func TestWhatEndsLateIsNoLeak(t *testing.T) {
	go time.Sleep(time.Second)
	if err := left(time.Minute); err != nil {
		t.Error(err)
	}
}

func TestWhatNeverEndsIsNamed(t *testing.T) {
	done := make(chan struct{})
	go func() { <-done }()
	if err := left(0); err == nil || !strings.Contains(err.Error(), "TestWhatNeverEndsIsNamed") {
		t.Errorf("error is %v", err)
	}
	close(done)
}
