import { describe, expect, it } from "vitest";
import { MAX_EVENT, readSse, SseParser } from "../src/protocol/sse.js";
import { Random } from "./random.js";

const encode = (text: string) => new TextEncoder().encode(text);
const parse = (...pieces: Uint8Array[]) => {
  const parser = new SseParser();
  return pieces.flatMap((piece) => parser.push(piece));
};

describe("SseParser", () => {
  it.each([
    ["data: a\n\n", ["a"]],
    ["data:a\n\n", ["a"]],
    ["data:  a\n\n", [" a"]],
    ["data: a\r\n\r\n", ["a"]],
    ["data: a\r\r", ["a"]],
    ["data: a\ndata: b\n\n", ["a\nb"]],
    ["data\n\n", [""]],
    [": keep-alive\n\ndata: a\n\n", ["a"]],
    ["event: x\nretry: 3\ndata: a\n\n", ["a"]],
    ["\n\n\ndata: a\n\n\n\ndata: b\n\n", ["a", "b"]],
    ["\uFEFFdata: a\n\n", ["a"]],
    ["data: no blank line\n", []],
  ])("reads %j", (text, expected) => {
    expect(parse(encode(text)).map(({ data }) => data)).toEqual(expected);
  });

  it("gives an event the id that came with it, and no other", () => {
    expect(parse(encode("id: r:0.1\ndata: a\n\ndata: b\n\nid: x\0\ndata: c\n\n")).map(({ id }) => id)).toEqual([
      "r:0.1",
      undefined,
      undefined,
    ]);
  });

  it("gives the same events however the bytes are cut", () => {
    const text =
      'id: 1\r\ndata: {"delta":"Grüße 👩‍💻 — 你好"}\r\n\r\n: ping\n\ndata: x\rdata: é\r\rdata: 𝄞\n\r\ndata: end\r\n\r\n';
    const bytes = encode(text);
    const whole = parse(bytes);
    expect(whole).toHaveLength(4);
    expect(parse(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole);
    for (let seed = 0; seed < 500; seed++) expect(parse(...new Random(seed).cut(bytes)), `seed ${seed}`).toEqual(whole);
  });

  it("refuses an event of more than 10 MiB, in one line or in many", () => {
    const parser = new SseParser();
    const mebibyte = encode("x".repeat(1 << 20));
    parser.push(encode("data: "));
    expect(() => {
      for (let i = 0; i <= MAX_EVENT >> 20; i++) parser.push(mebibyte);
    }).toThrow(/10 MiB/);
    const lines = new SseParser();
    const line = encode(`data: ${"x".repeat(1 << 20)}\n`);
    expect(() => {
      for (let i = 0; i <= MAX_EVENT >> 20; i++) lines.push(line);
    }).toThrow(/10 MiB/);
  });
});

it("readSse cancels the body when nobody reads on", async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(encode("data: a\n\n")),
    cancel: () => void (cancelled = true),
  });
  for await (const batch of readSse(body)) {
    expect(batch[0]!.data).toBe("a");
    break;
  }
  expect(cancelled).toBe(true);
});
