import { waitForIdle, refuse } from "@pageside/testing";
import { act, cleanup, createEvent, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { german } from "../../labels/german.js";
import { echo, open, sentBy } from "../../../test/harness.js";
import { MessageAttachments } from "./MessageAttachments.js";

const text = (name = "a.txt", content = "abc") => new File([content], name, { type: "text/plain" });
const image = () => new File(["png"], "a.png", { type: "image/png" });
const part = { type: "document", source: { type: "data", value: btoa("abc"), mimeType: "text/plain" }, metadata: { name: "a.txt" } }; // prettier-ignore

const fileInput = () => document.querySelector<HTMLInputElement>("input[type=file]")!;
const choose = (...files: File[]) => fireEvent.change(fileInput(), { target: { files } });
const files = () => screen.queryAllByRole("button", { name: /^Remove .*\.\w+$/ });
const isReady = () => waitFor(() => expect(screen.queryByRole("progressbar")).toBeNull());

describe("files", () => {
  it("are chosen, read, shown and sent after the text", async () => {
    const { keys, client, agent, input } = await open();
    choose(text(), image());
    expect(document.activeElement).toBe(input);
    await isReady();
    expect(files()).toHaveLength(2);
    expect(screen.getByText("3 B")).toBeTruthy();
    const drawn = document.querySelector(".ps-file-image > img");
    expect(drawn?.getAttribute("src")).toBe(`data:image/png;base64,${btoa("png")}`);
    await keys.keyboard("what is it?{Enter}");
    await waitForIdle(client);
    const [sent] = agent.inputs[0]!.messages.slice(-1);
    expect(sent!.content).toEqual([
      { type: "text", text: "what is it?" },
      part,
      {
        type: "image",
        source: { type: "data", value: btoa("png"), mimeType: "image/png" },
        metadata: { name: "a.png" },
      },
    ]);
    expect(files()).toEqual([]);
  });

  it("can go without a text", async () => {
    const { keys, client } = await open();
    const send = screen.getByRole("button", { name: "Send message" });
    expect(send.getAttribute("aria-disabled")).toBe("true");
    choose(text());
    await isReady();
    await waitFor(() => expect(send.getAttribute("aria-disabled")).toBeNull());
    await keys.click(send);
    await waitForIdle(client);
    expect(sentBy(client)).toEqual([[part]]);
  });

  it("are taken from the clipboard, and not where a text is meant", async () => {
    const { input } = await open();
    const paste = (types: string[]) => {
      const event = createEvent.paste(input, { clipboardData: { files: [text()], types } });
      fireEvent(input, event);
      return event.defaultPrevented;
    };
    expect(paste(["Files", "text/plain"])).toBe(false);
    expect(files()).toEqual([]);
    expect(paste(["Files"])).toBe(true);
    await waitFor(() => expect(files()).toHaveLength(1));
  });

  it("are dropped anywhere on the tray, which says so meanwhile", async () => {
    await open();
    const tray = document.querySelector(".ps-tray")!;
    const dataTransfer = { types: ["Files"], files: [text()] };
    fireEvent.dragEnter(tray, { dataTransfer: { types: ["text/plain"], files: [] } });
    expect(screen.queryByText("Drop files to add them")).toBeNull();
    fireEvent.dragEnter(tray, { dataTransfer });
    expect(screen.getByText("Drop files to add them")).toBeTruthy();
    fireEvent.dragLeave(tray, { dataTransfer });
    expect(screen.queryByText("Drop files to add them")).toBeNull();
    fireEvent.dragEnter(tray, { dataTransfer });
    expect(fireEvent.dragOver(tray, { dataTransfer })).toBe(false);
    fireEvent.drop(tray, { dataTransfer });
    expect(screen.queryByText("Drop files to add them")).toBeNull();
    await waitFor(() => expect(files()).toHaveLength(1));
  });

  it("are dropped on a tray that says what it takes", async () => {
    const hint = async (attachments: object, labels = {}) => {
      await open([echo], undefined, { attachments, labels });
      fireEvent.dragEnter(document.querySelector(".ps-tray")!, { dataTransfer: { types: ["Files"], files: [] } });
      const lines = [...document.querySelector(".ps-drop")!.childNodes].map((node) => node.textContent);
      cleanup();
      return lines;
    };
    expect(await hint({})).toEqual([
      "Drop files to add them",
      "PNG, JPEG, GIF, WEBP, PDF, text, JSON",
      "At most 8 files, 2.5 MB together",
    ]);
    const limits = { maxFiles: 3, maxFileSize: 1000, accept: "image/*,.pdf" };
    expect((await hint(limits)).slice(1)).toEqual(["images, PDF", "At most 3 files, 1 kB each, 2.5 MB together"]);
    expect((await hint(limits, german)).slice(1)).toEqual([
      "Bilder, PDF",
      "Höchstens 3 Dateien, je 1 kB, zusammen 2,5 MB",
    ]);
    expect((await hint({ maxFiles: 1, accept: "" })).slice(1)).toEqual(["1 file of at most 2.5 MB"]);
  });

  it("are refused with the reason", async () => {
    const { keys } = await open([echo], undefined, { attachments: { maxFiles: 3, maxFileSize: 5, maxTotalSize: 8 } });
    const chosen = [text("1.txt", ""), text("2.txt", "123456"), new File(["x"], "3.exe"), text("4.txt", "12345")];
    choose(...chosen);
    await isReady();
    const reasons = () => screen.getByRole("alert").textContent;
    expect(reasons()).toContain("“1.txt” is empty.");
    expect(reasons()).toContain("“2.txt” is too large: at most 5 B a file.");
    expect(reasons()).toContain(
      "“3.exe” is of a kind that can't be sent here. Accepted: PNG, JPEG, GIF, WEBP, PDF, text, JSON.",
    );
    expect(files()).toHaveLength(1);
    choose(text("5.txt", "12345"));
    await waitFor(() => expect(reasons()).toContain("“5.txt” was left out: files may have 8 B together."));
    expect(files()).toHaveLength(1);
    choose(text("6.txt", "1"), text("7.txt", "1"), text("8.txt", "1"));
    await waitFor(() => expect(reasons()).toContain("“8.txt” was left out: at most 3 files go with a message."));
    await keys.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("are refused where the model cannot be shown them", async () => {
    const capabilities = { custom: { pageside: { model: "m/x" } }, multimodal: { input: { image: false, pdf: true } } };
    const { client } = await open([echo], undefined, {}, capabilities);
    await waitFor(() => expect(client.getSnapshot().model?.media).toEqual({ image: false, pdf: true }));
    choose(image(), text());
    await isReady();
    expect(screen.getByRole("alert").textContent).toContain(
      "“a.png” was left out: the model that answers here can't be shown such files.",
    );
    expect(files()).toHaveLength(1);
  });

  it("show how far they are read, and say when all are", async () => {
    const readers: FileReader[] = [];
    vi.spyOn(FileReader.prototype, "readAsDataURL").mockImplementation(function (this: FileReader) {
      readers.push(this);
    });
    await open();
    choose(text());
    const bar = await screen.findByRole("progressbar", { name: "Reading a.txt" });
    await waitFor(() => expect(readers).toHaveLength(1));
    const reader = readers[0]!;
    expect(bar.getAttribute("aria-valuenow")).toBeNull();
    act(() => reader.onprogress!(new ProgressEvent("progress", { loaded: 1, total: 4 }) as ProgressEvent<FileReader>));
    expect(bar.getAttribute("aria-valuenow")).toBe("25");
    expect(screen.queryByText("1 file attached")).toBeNull();
    Object.defineProperty(reader, "result", { value: "data:;base64,YWJj" });
    act(() => reader.onload!(new ProgressEvent("load") as ProgressEvent<FileReader>));
    await isReady();
    expect(screen.getByText("1 file attached").getAttribute("role")).toBe("status");
  });

  it("are removed by keyboard: at the file, or from the beginning of the text", async () => {
    const { keys, input } = await open();
    choose(text("1.txt"), text("2.txt"), text("3.txt"), image());
    await isReady();
    screen.getByRole("button", { name: "Show a.png large" }).focus();
    await keys.keyboard("{Delete}");
    screen.getByRole("button", { name: "Remove 1.txt" }).focus();
    await keys.keyboard("{Backspace}");
    expect(files().map((button) => button.title)).toEqual(["Remove 2.txt", "Remove 3.txt"]);
    expect(document.activeElement).toBe(input);
    await keys.keyboard("ab{Backspace}{Backspace}");
    fireEvent.keyDown(input, { key: "Backspace", repeat: true });
    expect(files()).toHaveLength(2);
    await keys.keyboard("{Backspace}");
    expect(files().map((button) => button.title)).toEqual(["Remove 2.txt"]);
  });

  it("are removed, and images looked at", async () => {
    const { keys, input } = await open();
    choose(text(), image());
    await isReady();
    await keys.click(screen.getByRole("button", { name: "Show a.png large" }));
    const box = await screen.findByRole("dialog", { name: "a.png" });
    fireEvent.keyDown(box, { key: "Escape" });
    expect(screen.queryByRole("dialog", { name: "a.png" })).toBeNull();
    await keys.click(screen.getByRole("button", { name: "Remove a.txt" }));
    expect(files()).toHaveLength(1);
    expect(document.activeElement).toBe(input);
  });

  it("come back with the text where the server refused them for good", async () => {
    const { keys, client, input } = await open([{ reply: refuse(413, { code: "too_large" }) }]);
    choose(text());
    await isReady();
    await keys.keyboard("what is it?{Enter}");
    await waitFor(() => expect(client.getSnapshot().status).toBe("error"));
    await waitFor(() => expect(input.value).toBe("what is it?"));
    expect(files()).toHaveLength(1);
  });

  it("can be switched off", async () => {
    await open([echo], undefined, { attachments: false });
    expect(fileInput()).toBeNull();
    expect(screen.queryByRole("button", { name: "Add files" })).toBeNull();
    const dataTransfer = { types: ["Files"], files: [text()], dropEffect: "copy" };
    const over = createEvent.dragOver(document.querySelector(".ps-tray")!, { dataTransfer });
    fireEvent(document.querySelector(".ps-tray")!, over);
    expect(over.defaultPrevented).toBe(true); // or the browser would leave the page
    expect(dataTransfer.dropEffect).toBe("none");
    fireEvent.dragEnter(document.querySelector(".ps-tray")!, { dataTransfer });
    expect(document.querySelector(".ps-drop")).toBeNull();
  });
});

describe("the files of a message", () => {
  const show = (...content: object[]) => render(<MessageAttachments message={{ content: content as never }} />);

  it("are thumbnails and names; nothing is fetched", async () => {
    const { container } = show(
      { type: "text", text: "look" },
      part,
      { type: "image", source: { type: "data", value: "AAAA", mimeType: "image/png" }, metadata: { name: "a.png" } },
      {
        type: "image",
        source: { type: "data", value: "AAAA", mimeType: "image/svg+xml" },
        metadata: { name: "a.svg" },
      },
      { type: "image", source: { type: "url", value: "https://evil.example/p.png" }, metadata: { name: "p.png" } },
    );
    const drawn = [...container.querySelectorAll("img")].map(({ src }) => src);
    expect(drawn).toEqual(["data:image/png;base64,AAAA"]);
    expect(container.textContent).toContain("a.txt3 B");
    expect(container.textContent).toContain("a.svg");
    expect(container.textContent).toContain("p.pngevil.example");
  });

  it("are none where there are none", () => {
    expect(show({ type: "text", text: "look" }).container.innerHTML).toBe("");
  });
});
