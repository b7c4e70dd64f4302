import { expect, it, vi } from "vitest";
import { acceptedKinds, DEFAULT_LIMITS, isAccepted, mimeTypeOf, readAttachment, rejectionOf } from "./attachments.js";

const limits = { ...DEFAULT_LIMITS, maxFiles: 2, maxFileSize: 100 };
const file = (name: string, size: number, type = "text/plain") => new File(["x".repeat(size)], name, { type });
const read = (given: File, change = {}) =>
  readAttachment("f1", given, { ...limits, ...change }, () => {}, new AbortController().signal);

it("says why a file cannot go along", () => {
  expect(rejectionOf(file("a.txt", 3), 0, limits)).toBeUndefined();
  expect(rejectionOf(file("a.txt", 3), 2, limits)).toEqual({ name: "a.txt", reason: "count", limit: 2 });
  expect(rejectionOf(file("a.txt", 0), 0, limits)?.reason).toBe("empty");
  expect(rejectionOf(file("a.txt", 101), 0, limits)).toEqual({ name: "a.txt", reason: "size", limit: 100 });
  expect(rejectionOf(file("a.exe", 3, "application/x-msdownload"), 0, limits)?.reason).toBe("type");
  expect(rejectionOf(file("a.svg", 3, "image/svg+xml"), 0, limits)?.reason).toBe("type");
  // It may become smaller.
  expect(rejectionOf(file("a.png", 101, "image/png"), 0, limits)).toBeUndefined();
});

it("refuses what the model cannot be shown, and never a text", () => {
  const reasonOf = (type: string, model: object) =>
    rejectionOf(
      file("a", 3, type),
      0,
      { ...limits, accept: "image/*,audio/*,application/pdf,text/*" },
      {
        name: "m",
        scripted: false,
        ...model,
      },
    )?.reason;
  const media = { image: false, audio: true, pdf: false };
  expect(reasonOf("image/png", { media })).toBe("model");
  expect(reasonOf("application/pdf", { media })).toBe("model");
  expect(reasonOf("audio/wav", { media })).toBeUndefined();
  expect(reasonOf("text/csv", { media })).toBeUndefined();
  expect(reasonOf("image/svg+xml", { media })).toBeUndefined();
  expect(reasonOf("image/png", {})).toBeUndefined();
  expect(reasonOf("image/png", { media, scripted: true })).toBeUndefined();
});

it("knows kinds by type and by ending", () => {
  expect(mimeTypeOf({ name: "a.MD", type: "" })).toBe("text/markdown");
  expect(mimeTypeOf({ name: "noending", type: "" })).toBe("application/octet-stream");
  expect(isAccepted({ name: "x.PDF", type: "" }, ".pdf")).toBe(true);
  expect(isAccepted({ name: "x.png", type: "image/png" }, "image/*")).toBe(true);
  expect(isAccepted({ name: "x.png", type: "image/png" }, "image/jpeg, .pdf")).toBe(false);
  expect(isAccepted({ name: "x.exe", type: "" }, "")).toBe(true);
  expect(isAccepted({ name: "x.exe", type: "" }, "image/*, */*")).toBe(true);
});

it("names what is accepted, each kind once and only what the model can be shown", () => {
  const kinds = (accept: string, media?: object) =>
    acceptedKinds(accept, media && { name: "m", scripted: false, media }).join();
  expect(kinds(DEFAULT_LIMITS.accept)).toBe("PNG,JPEG,GIF,WEBP,PDF,text,JSON");
  expect(kinds("image/*, image/png, .pdf, application/pdf, .DOCX")).toBe("image,PDF,DOCX");
  expect(kinds(".csv,image/svg+xml")).toBe("CSV,SVG");
  expect(kinds("image/*,.pdf,text/*", { image: false, pdf: false })).toBe("text");
  expect(kinds("")).toBe("");
  expect(kinds("*/*,.pdf")).toBe("");
});

it("reads a file as base64, and refuses what is too large after all", async () => {
  expect(await read(new File([new Uint8Array([0, 255, 16])], "a.bin", { type: "text/plain" }))).toEqual({
    id: "f1",
    name: "a.bin",
    mimeType: "text/plain",
    size: 3,
    data: "AP8Q",
  });
  await expect(read(file("a.png", 101, "image/png"))).rejects.toEqual({ name: "a.png", reason: "size", limit: 100 });
});

it("scales a large image down, and leaves a small one alone", async () => {
  const sizes: number[][] = [];
  const bitmap = { width: 4096, height: 1024, close: vi.fn() };
  vi.stubGlobal("createImageBitmap", async () => bitmap);
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue({ drawImage: () => {} } as never);
  vi.spyOn(HTMLCanvasElement.prototype, "toBlob").mockImplementation(function (this: HTMLCanvasElement, done, type) {
    sizes.push([this.width, this.height]);
    done(new Blob(["small"], { type }));
  });
  const large = await read(file("a.png", 101, "image/png"));
  expect(large).toMatchObject({ size: 5, mimeType: "image/png", data: btoa("small") });
  expect(sizes).toEqual([[2048, 512]]);
  bitmap.width = 2048;
  expect((await read(file("b.png", 50, "image/png"))).size).toBe(50);
  expect(sizes).toHaveLength(1);
  expect(bitmap.close).toHaveBeenCalledTimes(2);
});

it("stops reading when it is told to", async () => {
  const controller = new AbortController();
  const reading = readAttachment("f1", file("a.txt", 50), limits, () => {}, controller.signal);
  controller.abort();
  await expect(reading).rejects.toThrow();
});

it("by default fit into what a server takes as a request, with room for the page's context", () => {
  const { maxFileSize, maxTotalSize } = DEFAULT_LIMITS;
  expect(Math.ceil(Math.max(maxFileSize, maxTotalSize) / 3) * 4).toBeLessThan(4 * 2 ** 20 - 512 * 1024);
});
