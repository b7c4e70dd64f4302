/** Random runs that are legal AG-UI 1.0, for comparing with the stock client. */
import type { AgUiEvent } from "../src/protocol/events.js";
import type { Message } from "../src/index.js";
import { Random } from "./random.js";

interface Run {
  events: AgUiEvent[];
  /** The messages there were before. */
  messages: Message[];
}

type Loose = Record<string, unknown>;

class Generator {
  readonly events: Loose[] = [];
  readonly #random: Random;
  #ids = 0;
  #messages: string[] = [];
  #assistants: string[] = [];
  #activities: string[] = [];
  #calls: string[] = [];
  /** Ways to close what is open, by what it is. */
  #open = new Map<string, () => void>();

  constructor(random: Random, before: readonly Message[]) {
    this.#random = random;
    for (const { id, role } of before) {
      this.#messages.push(id);
      if (role === "assistant") this.#assistants.push(id);
      if (role === "activity") this.#activities.push(id);
    }
  }

  run(steps: number): void {
    this.#emit("RUN_STARTED", { threadId: "t", runId: "r", ...this.#maybeInput() });
    const moves = [
      this.#text, this.#text, this.#reasoning, this.#toolCall, this.#toolCall, this.#result, this.#activity, this.#activityDelta,
      this.#state, this.#snapshot, this.#encrypted, this.#other, this.#close, this.#close, this.#chunks,
    ]; // prettier-ignore
    for (let i = 0; i < steps; i++) this.#random.pick(moves).call(this);
    for (const close of [...this.#open.values()]) close();
    this.#emit("RUN_FINISHED", { threadId: "t", runId: "r" });
  }

  #emit(type: string, members: Loose): void {
    this.events.push({ type, ...members });
  }

  /** Emits, now and then with metadata. */
  #tell(type: string, members: Loose): void {
    this.#emit(type, { ...members, ...this.#meta() });
  }

  #id(prefix: string): string {
    return `${prefix}${this.#ids++}`;
  }

  #words(): string {
    return this.#random.pick(["", "a", "Grüße ", '{"q":', "\n", "👍", "lorem ipsum "]);
  }

  #meta(): Loose {
    const { chance, pick, int } = bind(this.#random);
    return chance(20) ? { metadata: { [pick(["x", "y", "pageside"])]: pick([null, int(9), { deep: [1] }]) } } : {};
  }

  #maybeInput(): Loose {
    if (!this.#random.chance(30)) return {};
    const messages = [
      { id: this.#id("u"), role: "user", content: "hi" },
      { id: "before0", role: "user", content: "other" },
    ];
    this.#messages.push(messages[0]!.id);
    return { input: { threadId: "t", runId: "r", messages, tools: [], context: [] } };
  }

  #text(): void {
    const again = this.#random.chance(15) && this.#assistants.length > 0;
    const messageId = again ? this.#random.pick(this.#assistants) : this.#id("m");
    if (this.#open.has("text" + messageId)) return;
    const role = again
      ? "assistant"
      : this.#random.pick(["assistant", "assistant", undefined, "system", "user", "developer"]);
    this.#tell("TEXT_MESSAGE_START", {
      messageId,
      ...(role && { role }),
      ...(this.#random.chance(10) && { name: "n" }),
    });
    if (role === undefined || role === "assistant") this.#assistants.push(messageId);
    this.#messages.push(messageId);
    this.#stream("text" + messageId, { messageId }, "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END");
  }

  #reasoning(): void {
    const messageId = this.#id("g");
    this.#tell("REASONING_MESSAGE_START", { messageId, role: "reasoning" });
    this.#messages.push(messageId);
    this.#stream("reasoning" + messageId, { messageId }, "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END");
  }

  #toolCall(): void {
    const again = this.#random.chance(10) && this.#calls.length > 0;
    const toolCallId = again ? this.#random.pick(this.#calls) : this.#id("c");
    if (this.#open.has("call" + toolCallId)) return;
    const parents = [undefined, this.#id("p"), ...this.#assistants, ...this.#messages];
    const parentMessageId = this.#random.pick(parents);
    this.#tell("TOOL_CALL_START", {
      toolCallId,
      toolCallName: this.#random.pick(["search", "save"]),
      ...(parentMessageId && { parentMessageId }),
    });
    this.#calls.push(toolCallId);
    this.#stream("call" + toolCallId, { toolCallId }, "TOOL_CALL_ARGS", "TOOL_CALL_END");
  }

  /** Some deltas now; the end now or later. */
  #stream(key: string, ids: Loose, content: string, end: string): void {
    const deltas = () => {
      for (let i = this.#random.int(4); i > 0; i--) this.#tell(content, { ...ids, delta: this.#words() });
    };
    deltas();
    const close = () => {
      deltas();
      this.#open.delete(key);
      this.#tell(end, { ...ids });
    };
    if (this.#random.chance(50)) close();
    else this.#open.set(key, close);
  }

  #close(): void {
    if (this.#open.size > 0) this.#random.pick([...this.#open.values()])();
  }

  #result(): void {
    const toolCallId = this.#random.pick([...this.#calls, "nobody"]);
    this.#tell("TOOL_CALL_RESULT", { messageId: this.#id("t"), toolCallId, content: this.#words(), role: "tool" });
  }

  #activity(): void {
    const messageId = this.#random.pick([
      this.#id("y"),
      this.#id("y"),
      ...this.#activities,
      ...this.#messages.filter((id) => !this.#open.has("text" + id) && !this.#open.has("reasoning" + id)),
    ]);
    const replace = this.#random.pick([undefined, true, false]);
    const content = { items: [1, { a: null }], n: this.#random.int(5) };
    this.#tell("ACTIVITY_SNAPSHOT", {
      messageId,
      activityType: this.#random.pick(["plan", "card"]),
      content,
      ...(replace !== undefined && { replace }),
    });
    this.#activities.push(messageId);
  }

  #activityDelta(): void {
    const messageId = this.#random.pick([...this.#activities, "nobody"]);
    this.#tell("ACTIVITY_DELTA", {
      messageId,
      activityType: "plan",
      patch: this.#patch(["/items/0", "/n", "/items/-", "/items/1/a", "/missing/x"]),
    });
  }

  #state(): void {
    if (this.#random.chance(40))
      this.#emit("STATE_SNAPSHOT", {
        snapshot: this.#random.pick([null, {}, { list: [1, 2], a: { b: 1 } }, [1], "text"]),
      });
    else this.#emit("STATE_DELTA", { delta: this.#patch(["/list/0", "/a/b", "/new", "/list/-", "/a~1b", "/x/y", ""]) });
  }

  #patch(paths: readonly string[]): Loose[] {
    return Array.from({ length: 1 + this.#random.int(2) }, () => {
      const path = this.#random.pick(paths);
      const from = this.#random.pick(paths.filter((each) => each !== "" && !each.endsWith("-")));
      // The stock client lets a member of a number or a text pass, against RFC 6902.
      const isRoot = path === "";
      const value = this.#random.pick<unknown>(isRoot ? [null, { k: [true] }] : [1, null, "v", { k: [true] }]);
      const operations = [
        { op: "add", path, value },
        { op: "replace", path, value },
        { op: "test", path, value: 1 },
      ];
      // The stock client lets a copy of nothing to the root pass, against RFC 6902.
      const copies = isRoot ? [] : [{ op: "copy", from, path }];
      const removals = isRoot ? [] : [{ op: "remove", path }];
      return this.#random.pick<Loose>(
        path.endsWith("-") ? [operations[0]!, ...copies] : [...operations, ...copies, ...removals],
      );
    });
  }

  #snapshot(): void {
    if (!this.#random.chance(25) || this.#open.size > 0) return;
    const kept = this.#messages.filter(() => this.#random.chance(70));
    const messages = [...new Set(kept)].map((id) => this.#message(id));
    if (this.#random.chance(50)) messages.push(this.#message(this.#id("s")));
    const scope = this.#random.pick([undefined, null, ["plan"], [], 7]);
    const metadata =
      scope === undefined ? {} : { metadata: { "@ag-ui/client": { authoritativeActivityTypes: scope } } };
    this.#emit("MESSAGES_SNAPSHOT", { messages, ...metadata });
    const of = (role: string) =>
      messages.filter((message) => message["role"] === role).map((message) => message["id"] as string);
    this.#messages = messages.map((message) => message["id"] as string);
    this.#assistants = of("assistant");
    this.#activities = [...this.#activities, ...of("activity")];
  }

  #message(id: string): Loose {
    return this.#random.pick<Loose>([
      { id, role: "user", content: "said" },
      { id, role: "assistant", content: "answered" },
      {
        id,
        role: "assistant",
        toolCalls: [{ id: `call-${id}`, type: "function", function: { name: "n", arguments: "{}" } }],
      },
      { id, role: "reasoning", content: "thought" },
      { id, role: "activity", activityType: "card", content: { items: [1, { a: 1 }], n: 1 } },
    ]);
  }

  #encrypted(): void {
    const [subtype, entityId] = this.#random.chance(50)
      ? ["tool-call", this.#random.pick([...this.#calls, "nobody"])]
      : ["message", this.#random.pick([...this.#messages, "nobody"])];
    this.#emit("REASONING_ENCRYPTED_VALUE", { subtype, entityId, encryptedValue: "secret" });
  }

  #other(): void {
    const id = this.#id("o");
    this.#random.pick([
      () => this.#emit("CUSTOM", { name: "x", value: null }),
      () => this.#emit("RAW", { event: { a: 1 } }),
      () => [this.#emit("STEP_STARTED", { stepName: id }), this.#emit("STEP_FINISHED", { stepName: id })],
      () => [this.#emit("REASONING_START", { messageId: id }), this.#emit("REASONING_END", { messageId: id })],
      () => this.#subagent(id),
    ])();
  }

  #subagent(subagentRunId: string): void {
    const messageId = this.#id("m");
    this.#emit("SUBAGENT_STARTED", { subagentRunId, name: "helper" });
    this.#emit("TEXT_MESSAGE_START", { messageId, role: "assistant", subagentRunId });
    this.#emit("TEXT_MESSAGE_CONTENT", { messageId, delta: "sub", subagentRunId });
    this.#emit("TEXT_MESSAGE_END", { messageId, subagentRunId });
    this.#emit("ACTIVITY_SNAPSHOT", { messageId: this.#id("y"), activityType: "plan", content: {}, subagentRunId });
    if (this.#random.chance(50)) this.#emit("SUBAGENT_FINISHED", { subagentRunId });
    else this.#emit("SUBAGENT_ERROR", { subagentRunId, message: "no" });
  }

  #chunks(): void {
    const kind = this.#random.pick(["TEXT_MESSAGE_CHUNK", "REASONING_MESSAGE_CHUNK", "TOOL_CALL_CHUNK"]);
    const isCall = kind === "TOOL_CALL_CHUNK";
    const id = this.#id("k");
    const first = isCall ? { toolCallId: id, toolCallName: "search" } : { messageId: id };
    this.#tell(kind, { ...first, ...(this.#random.chance(70) && { delta: this.#words() }) });
    for (let i = this.#random.int(3); i > 0; i--)
      this.#tell(kind, {
        ...(this.#random.chance(50) && { [isCall ? "toolCallId" : "messageId"]: id }),
        delta: this.#words(),
      });
    this.#emit("CUSTOM", { name: "between", value: 1 }); // ends what the chunks began
    if (isCall) this.#calls.push(id);
    else this.#messages.push(id);
  }
}

function bind(random: Random) {
  return {
    chance: (percent: number) => random.chance(percent),
    int: (below: number) => random.int(below),
    pick: <T>(list: readonly T[]) => random.pick(list),
  };
}

export function randomRun(seed: number): Run {
  const random = new Random(seed);
  const messages: Message[] = random.chance(50)
    ? []
    : [
        { id: "before0", role: "user", content: "hello" },
        {
          id: "before1",
          role: "assistant",
          content: "hi",
          toolCalls: [{ id: "old", type: "function", function: { name: "n", arguments: "{}" } }],
        },
        { id: "before2", role: "activity", activityType: "card", content: { items: [1, {}], n: 1 } },
        { id: "before3", role: "reasoning", content: "hm" },
      ];
  const generator = new Generator(random, messages);
  generator.run(5 + random.int(40));
  return { events: generator.events as unknown as AgUiEvent[], messages };
}
