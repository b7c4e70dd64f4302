package agui_test

import (
	"fmt"

	"github.com/pageside/pageside/agui"
)

func Example() {
	events := []agui.Event{
		&agui.RunStarted{ThreadID: "t1", RunID: "r1", ProtocolVersion: agui.ProtocolVersion},
		&agui.TextMessageStart{MessageID: "m1"},
		&agui.TextMessageContent{MessageID: "m1", Delta: "Hello, "},
		&agui.TextMessageContent{MessageID: "m1", Delta: "Ada."},
		&agui.RunFinished{ThreadID: "t1", RunID: "r1"},
	}
	verifier, transcript := agui.NewVerifier(), agui.NewTranscript(nil)
	emit := func(e agui.Event) {
		if err := verifier.Check(e); err != nil {
			fmt.Println("refused:", err)
			return
		}
		if err := transcript.Apply(e); err != nil {
			fmt.Println(err)
		}
		line, err := agui.MarshalEvent(e)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s\n", line)
	}
	for _, e := range events {
		emit(e)
	}
	for _, e := range verifier.Close() {
		emit(e)
	}
	emit(events[len(events)-1])
	for _, m := range transcript.Changed() {
		fmt.Println(m.Role, "said:", m.Content.Text())
	}
	// Output:
	// {"type":"RUN_STARTED","threadId":"t1","runId":"r1","protocolVersion":"1.0"}
	// {"type":"TEXT_MESSAGE_START","messageId":"m1"}
	// {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hello, "}
	// {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Ada."}
	// refused: Cannot send 'RUN_FINISHED' while text messages are still active: m1
	// {"type":"TEXT_MESSAGE_END","messageId":"m1"}
	// {"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}
	// assistant said: Hello, Ada.
}

// A request's error names the field that is wrong.
func ExampleUnmarshalRunAgentInput() {
	_, err := agui.UnmarshalRunAgentInput([]byte(`{"threadId":"t1","runId":"r1","messages":[{"id":"m1","role":"user","content":7}]}`))
	fmt.Println(err)
	// Output:
	// messages[0].content: must be a string or an array of parts, got a number
}
