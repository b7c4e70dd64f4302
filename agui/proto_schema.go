package agui

import "google.golang.org/protobuf/encoding/protowire"

// The messages of package ag_ui, version 1.0, as far as events need them: which member of an
// event's JSON is which field. The numbers are those of @ag-ui/proto 1.0.0.

// protoKind is how a JSON value is put in a field.
type protoKind uint8

const (
	protoText      protoKind = iota // string
	protoTexts                      // repeated string
	protoWhole                      // int64
	protoFlag                       // bool
	protoAny                        // google.protobuf.Value
	protoStruct                     // google.protobuf.Struct
	protoObject                     // a message
	protoObjects                    // repeated messages
	protoSelf                       // a message made of the same object
	protoEventType                  // enum EventType
	protoPatchOp                    // enum JsonPatchOperationType
)

type protoField struct {
	num  protowire.Number
	name string // in JSON
	// the member of the JSON object that holds it, where the message has it flat
	within   string
	kind     protoKind
	presence bool       // a string that is written even if it is empty
	ignored  bool       // a value of the wrong kind is dropped, not refused
	of       *protoType // of a message
}

// protoType is a message: its fields by number, or the arms of its oneof by the "type" of the JSON.
type protoType struct {
	fields []protoField
	arms   map[string]protoField
}

// maxProtoFields is the most fields that a message has.
const maxProtoFields = 13

// strField is a string that is left out if it is empty.
func strField(num protowire.Number, name string) protoField {
	return protoField{num: num, name: name, kind: protoText}
}

// optField is a string that may be absent, and may be empty.
func optField(num protowire.Number, name string) protoField {
	return protoField{num: num, name: name, kind: protoText, presence: true}
}

func kindField(num protowire.Number, name string, kind protoKind) protoField {
	return protoField{num: num, name: name, kind: kind}
}

func objectField(num protowire.Number, name string, of *protoType) protoField {
	return protoField{num: num, name: name, kind: protoObject, of: of}
}

func listField(num protowire.Number, name string, of *protoType) protoField {
	return protoField{num: num, name: name, kind: protoObjects, of: of}
}

// in returns the field for a member of the object under another name.
func (f protoField) in(member string) protoField {
	f.within = member
	return f
}

func arm(num protowire.Number, fields ...protoField) protoField {
	return protoField{num: num, of: &protoType{fields: fields}}
}

// eventArm is an arm of the message Event: each begins with the fields common to all events.
func eventArm(num protowire.Number, fields ...protoField) protoField {
	return arm(num, append([]protoField{{num: 1, kind: protoSelf, of: &protoBase}}, fields...)...)
}

const (
	protoRunFinished protowire.Number = 13
	protoRunError    protowire.Number = 14
)

var protoBase = protoType{fields: []protoField{
	kindField(1, "type", protoEventType), kindField(2, "timestamp", protoWhole),
	kindField(3, "rawEvent", protoAny), kindField(4, "metadata", protoStruct),
}}

// protoEvent is ag_ui.Event.
var protoEvent = protoType{arms: map[string]protoField{
	"TEXT_MESSAGE_START": eventArm(1, strField(2, "messageId"), optField(3, "role"), optField(4, "name"),
		optField(5, "subagentRunId")),
	"TEXT_MESSAGE_CONTENT": eventArm(2, strField(2, "messageId"), strField(3, "delta"),
		optField(4, "subagentRunId")),
	"TEXT_MESSAGE_END": eventArm(3, strField(2, "messageId"), optField(3, "subagentRunId")),
	"TOOL_CALL_START": eventArm(4, strField(2, "toolCallId"), strField(3, "toolCallName"),
		optField(4, "parentMessageId"), optField(5, "subagentRunId")),
	"TOOL_CALL_ARGS": eventArm(5, strField(2, "toolCallId"), strField(3, "delta"),
		optField(4, "subagentRunId")),
	"TOOL_CALL_END":     eventArm(6, strField(2, "toolCallId"), optField(3, "subagentRunId")),
	"STATE_SNAPSHOT":    eventArm(7, kindField(2, "snapshot", protoAny), optField(3, "subagentRunId")),
	"STATE_DELTA":       eventArm(8, listField(2, "delta", &protoPatch), optField(3, "subagentRunId")),
	"MESSAGES_SNAPSHOT": eventArm(9, listField(2, "messages", &protoMessage)),
	"RAW": eventArm(10, kindField(2, "event", protoAny), optField(3, "source"),
		optField(4, "subagentRunId")),
	"CUSTOM": eventArm(11, strField(2, "name"), kindField(3, "value", protoAny),
		optField(4, "subagentRunId")),
	"RUN_STARTED": eventArm(12, strField(2, "threadId"), strField(3, "runId"),
		optField(4, "parentRunId"), objectField(5, "input", &protoInput), optField(6, "protocolVersion")),
	"RUN_FINISHED": protoFinished,
	"RUN_ERROR": eventArm(protoRunError, optField(2, "code"), strField(3, "message"),
		listField(4, "usage", &protoUsage)),
	"STEP_STARTED":  eventArm(15, strField(2, "stepName"), optField(3, "subagentRunId")),
	"STEP_FINISHED": eventArm(16, strField(2, "stepName"), optField(3, "subagentRunId")),
	"TEXT_MESSAGE_CHUNK": eventArm(17, optField(2, "messageId"), optField(3, "role"),
		optField(4, "delta"), optField(5, "name"), optField(6, "subagentRunId")),
	"TOOL_CALL_CHUNK": eventArm(18, optField(2, "toolCallId"), optField(3, "toolCallName"),
		optField(4, "parentMessageId"), optField(5, "delta"), optField(6, "subagentRunId")),
	"SUBAGENT_STARTED": protoSubagentStarted,
	"SUBAGENT_FINISHED": eventArm(20, strField(2, "subagentRunId"), kindField(3, "result", protoAny),
		strField(4, "type").in("outcome"), kindField(5, "interruptIds", protoTexts).in("outcome")),
	"SUBAGENT_ERROR": eventArm(21, strField(2, "subagentRunId"), strField(3, "message"),
		optField(4, "code")),
	"TOOL_CALL_RESULT": eventArm(22, optField(2, "subagentRunId"), strField(3, "messageId"),
		strField(4, "toolCallId"), optField(5, "content"), optField(6, "role"), listField(7, "content", &protoPart)),
	"ACTIVITY_SNAPSHOT": eventArm(23, optField(2, "subagentRunId"), strField(3, "messageId"),
		strField(4, "activityType"), kindField(5, "content", protoStruct), kindField(6, "replace", protoFlag)),
	"ACTIVITY_DELTA": eventArm(24, optField(2, "subagentRunId"), strField(3, "messageId"),
		strField(4, "activityType"), listField(5, "patch", &protoPatch)),
	"REASONING_START": eventArm(25, optField(2, "subagentRunId"), strField(3, "messageId")),
	"REASONING_MESSAGE_START": eventArm(26, optField(2, "subagentRunId"), strField(3, "messageId"),
		strField(4, "role")),
	"REASONING_MESSAGE_CONTENT": eventArm(27, optField(2, "subagentRunId"), strField(3, "messageId"),
		strField(4, "delta")),
	"REASONING_MESSAGE_END": eventArm(28, optField(2, "subagentRunId"), strField(3, "messageId")),
	"REASONING_MESSAGE_CHUNK": eventArm(29, optField(2, "subagentRunId"), optField(3, "messageId"),
		optField(4, "delta")),
	"REASONING_END": eventArm(30, optField(2, "subagentRunId"), strField(3, "messageId")),
	"REASONING_ENCRYPTED_VALUE": eventArm(31, optField(2, "subagentRunId"), strField(3, "subtype"),
		strField(4, "entityId"), strField(5, "encryptedValue")),
}}

var protoFinished = eventArm(protoRunFinished,
	strField(2, "threadId"), strField(3, "runId"), kindField(4, "result", protoAny), strField(5, "type").in("outcome"),
	listField(6, "interrupts", &protoInterrupt).in("outcome"), listField(7, "usage", &protoUsage),
	kindField(8, "pendingToolCallIds", protoTexts).in("outcome"))

var protoSubagentStarted = eventArm(19,
	strField(2, "subagentRunId"), strField(3, "name"), optField(4, "description"),
	optField(5, "parentSubagentRunId"), optField(6, "parentToolCallId"), optField(7, "parentMessageId"))

// protoEventTypes are the names of the enum EventType, by number.
var protoEventTypes = []string{
	"TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "TOOL_CALL_START", "TOOL_CALL_ARGS",
	"TOOL_CALL_END",
	"STATE_SNAPSHOT", "STATE_DELTA", "MESSAGES_SNAPSHOT", "RAW", "CUSTOM", "RUN_STARTED", "RUN_FINISHED", "RUN_ERROR",
	"STEP_STARTED", "STEP_FINISHED", "SUBAGENT_STARTED", "SUBAGENT_FINISHED", "SUBAGENT_ERROR",
	"TEXT_MESSAGE_CHUNK", "TOOL_CALL_CHUNK",
	"TOOL_CALL_RESULT", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "REASONING_START", "REASONING_MESSAGE_START",
	"REASONING_MESSAGE_CONTENT",
	"REASONING_MESSAGE_END", "REASONING_MESSAGE_CHUNK", "REASONING_END", "REASONING_ENCRYPTED_VALUE",
}

// protoPatchOps are the names of the enum JsonPatchOperationType, by number, as JSON has them.
var protoPatchOps = []string{"add", "remove", "replace", "move", "copy", "test"}

var protoPatch = protoType{fields: []protoField{
	kindField(1, "op", protoPatchOp), strField(2, "path"),
	// a patch may have anything under a name that its operation does not use
	{num: 3, name: "from", kind: protoText, presence: true, ignored: true}, kindField(4, "value", protoAny),
}}

// protoMessage is the one message for all roles. The JSON of content decides its field.
var protoMessage = protoType{fields: []protoField{
	strField(1, "id"), strField(2, "role"), optField(3, "content"), optField(4, "name"),
	listField(5, "toolCalls", &protoToolCall),
	optField(6, "toolCallId"), optField(7, "error"), listField(8, "content", &protoPart),
	kindField(9, "metadata", protoStruct),
	optField(10, "subagentRunId"), optField(11, "encryptedValue"), optField(12, "activityType"),
	kindField(13, "content", protoStruct),
}}

var protoToolCall = protoType{fields: []protoField{
	strField(1, "id"), strField(2, "type"), objectField(3, "function", &protoFunction),
	kindField(4, "metadata", protoStruct), optField(5, "encryptedValue"),
}}

var protoFunction = protoType{fields: []protoField{strField(1, "name"), strField(2, "arguments")}}

// protoPart is one part of a message's content.
var protoPart = protoType{arms: map[string]protoField{
	PartText:     arm(1, strField(1, "text"), optField(2, "id"), kindField(3, "metadata", protoAny)),
	PartImage:    mediaArm(2),
	PartAudio:    mediaArm(3),
	PartVideo:    mediaArm(4),
	PartDocument: mediaArm(5),
}}

func mediaArm(num protowire.Number) protoField {
	return arm(num, objectField(1, "source", &protoSource), kindField(2, "metadata", protoAny), optField(3, "id"))
}

var protoSource = protoType{arms: map[string]protoField{
	SourceData: arm(1, strField(1, "value"), strField(2, "mimeType")),
	SourceURL:  arm(2, strField(1, "value"), optField(2, "mimeType")),
	SourceFile: arm(3, strField(1, "value"), optField(2, "provider"), optField(3, "mimeType")),
}}

var protoInput = protoType{fields: []protoField{
	strField(1, "threadId"), strField(2, "runId"), optField(3, "parentRunId"), kindField(4, "state", protoAny),
	listField(5, "messages", &protoMessage),
	listField(6, "tools", &protoTool), listField(7, "context", &protoContext), kindField(8, "forwardedProps", protoAny),
	listField(9, "resume", &protoResume), optField(10, "protocolVersion"),
}}

var protoTool = protoType{fields: []protoField{
	strField(1, "name"), strField(2, "description"), kindField(3, "parameters", protoAny),
	kindField(4, "metadata", protoStruct),
}}

var protoContext = protoType{fields: []protoField{strField(1, "description"), strField(2, "value")}}

var protoResume = protoType{fields: []protoField{
	strField(1, "interruptId"), strField(2, "status"), kindField(3, "payload", protoAny),
	kindField(4, "metadata", protoStruct),
}}

var protoInterrupt = protoType{fields: []protoField{
	strField(1, "id"), strField(2, "reason"), optField(3, "message"), optField(4, "toolCallId"),
	kindField(5, "responseSchema", protoAny),
	optField(6, "expiresAt"), kindField(7, "metadata", protoAny), optField(8, "subagentRunId"),
}}

var protoUsage = protoType{fields: []protoField{
	optField(1, "provider"), optField(2, "model"), kindField(3, "inputTokens", protoWhole),
	kindField(4, "outputTokens", protoWhole),
	kindField(5, "totalTokens", protoWhole), kindField(6, "reasoningTokens", protoWhole),
	kindField(7, "cachedInputTokens", protoWhole),
	kindField(8, "cacheWriteInputTokens", protoWhole),
}}
