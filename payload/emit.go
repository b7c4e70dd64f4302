package payload

// maxEmittedName leaves room for the prefix in the name of the generated tool.
const maxEmittedName = 64 - len(emitPrefix)

const emitPrefix = "emit_"

// ToolName is the name of the tool that is generated for a type where a model writes payloads as
// the arguments of a call.
func (t *Type) ToolName() string { return emitPrefix + t.Name }
