import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { ConnectDialog } from "./ConnectDialog.tsx";
import { HttpError } from "./http.ts";
import { modelApi, type Connection } from "./model.ts";

const secret = "sk-secret-0123456789";
const scripted: Connection = {
  model: "script/demo",
  scripted: true,
  providers: [
    { name: "openai", label: "OpenAI", models: ["gpt-5-mini"], host: "api.openai.com" },
    { name: "anthropic", label: "Anthropic", models: ["claude-haiku-4-5"], host: "api.anthropic.com" },
    { name: "gemini", label: "Google Gemini", models: ["gemini-2.5-flash"], host: "generativelanguage.googleapis.com" },
  ],
};
const [openai, ...others] = scripted.providers;
const connected: Connection = {
  model: "openai/gpt-5",
  scripted: false,
  providers: [
    { ...openai!, hasKey: true },
    ...others,
    { name: "ollama", label: "Ollama", models: ["llama3.2", "qwen3"] },
  ],
};

/** Opens the dialog on a server that does what it is told. */
function open(connection: Connection) {
  const api = {
    read: vi.fn<typeof modelApi.read>(),
    connect: vi.fn<typeof modelApi.connect>(() => Promise.resolve(connected)),
    disconnect: vi.fn<typeof modelApi.disconnect>(() => Promise.resolve(scripted)),
  };
  const told = { onChange: vi.fn(), onClose: vi.fn() };
  render(<ConnectDialog connection={connection} api={api} {...told} />);
  return { api, ...told };
}

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const type = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const choose = (name: RegExp) => fireEvent.click(screen.getByRole("radio", { name }));

it("connects a model with a key, which is in no attribute and no storage", async () => {
  const { api, onChange, onClose } = open(scripted);
  expect(screen.getByRole("dialog", { name: "Connect a model" }).textContent).toContain(
    "The scripted model answers now",
  );
  expect(document.activeElement).toBe(field("API key"));
  expect(field("API key")).toMatchObject({ type: "password", autocomplete: "off", required: true });
  expect(field("Model").value).toBe("gpt-5-mini");
  type("API key", ` ${secret} `);
  press("Connect");
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(api.connect.mock.calls.map((call) => call.slice(0, 2))).toEqual([["openai/gpt-5-mini", secret]]);
  expect(onChange).toHaveBeenCalledOnce();
  expect(document.body.innerHTML).not.toContain(secret);
  expect(JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])).not.toContain(secret);
});

it("has a usual model for each provider, and takes no key from one to the next", () => {
  open(scripted);
  type("API key", secret);
  choose(/^Anthropic/);
  expect(field("Model").value).toBe("claude-haiku-4-5");
  expect(field("API key").value).toBe("");
  expect(screen.getByText(/Sent to api\.anthropic\.com alone/)).toBeTruthy();
  expect(screen.getByRole<HTMLInputElement>("radio", { name: /^Ollama/ }).disabled).toBe(true);
});

it("says why a key was refused, gives it the focus, and tries again", async () => {
  const { api, onChange, onClose } = open(scripted);
  api.connect.mockRejectedValueOnce(
    new HttpError("the provider refused the API key: check the key", "key_refused", 422, { field: "key" }),
  );
  type("API key", "sk-wrong");
  field("Model").focus();
  press("Connect");
  await waitFor(() => expect(screen.getByRole("alert").textContent).toContain("refused the API key"));
  expect(field("API key").getAttribute("aria-invalid")).toBe("true");
  expect(field("API key").getAttribute("aria-describedby")).toBe(screen.getByRole("alert").id);
  expect(field("Model").getAttribute("aria-invalid")).toBeNull();
  await waitFor(() => expect(document.activeElement).toBe(field("API key")));
  expect([onChange, onClose].map((told) => told.mock.calls.length)).toEqual([0, 0]);
  type("API key", secret);
  press("Connect");
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(api.connect.mock.calls.map(([, key]) => key)).toEqual(["sk-wrong", secret]);
});

it("connects once, however often it is told, and Escape gives it up", async () => {
  const { api, onChange, onClose } = open(scripted);
  let signal: AbortSignal | undefined;
  api.connect.mockImplementationOnce((_model, _key, given) => {
    signal = given;
    return new Promise((_, reject) => given!.addEventListener("abort", () => reject(given!.reason as Error)));
  });
  type("API key", secret);
  press("Connect");
  press("Connecting…");
  expect(screen.getByRole("status").textContent).toContain("first question");
  expect(api.connect).toHaveBeenCalledOnce();
  fireEvent(screen.getByRole("dialog"), new Event("cancel", { cancelable: true }));
  await waitFor(() => expect(signal!.aborted).toBe(true));
  expect(onClose).toHaveBeenCalledOnce();
  expect(onChange).not.toHaveBeenCalled();
  expect(screen.getByRole("alert").textContent).toBe("");
});

it("goes back to the scripted model", async () => {
  const { api, onChange, onClose } = open(connected);
  expect(field("Model").value).toBe("gpt-5");
  expect(field("API key")).toMatchObject({ required: false, placeholder: expect.stringContaining("empty") as string });
  press("Back to the scripted model");
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(api.disconnect).toHaveBeenCalledOnce();
  expect(onChange).toHaveBeenCalledOnce();
});

it("connects a model of an Ollama that runs, without a key", async () => {
  const { api, onClose } = open(connected);
  choose(/^Ollama/);
  expect(field("API key").disabled).toBe(true);
  const models = screen.getByRole("combobox", { name: "Model" });
  expect(
    within(models)
      .getAllByRole("option")
      .map((option) => option.textContent),
  ).toEqual(["llama3.2", "qwen3"]);
  fireEvent.change(models, { target: { value: "qwen3" } });
  press("Connect");
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  expect(api.connect.mock.calls[0]!.slice(0, 2)).toEqual(["ollama/qwen3", ""]);
});

it("sends the key in the body, and nothing without one", async () => {
  const sent: [string, RequestInit][] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation((url, init) => {
    sent.push([url as string, init!]);
    return Promise.resolve(Response.json(connected));
  });
  await modelApi.connect("openai/gpt-5", secret);
  await modelApi.connect("ollama/qwen3", "");
  expect(sent.map(([url, { method, body }]) => [method, url, body])).toEqual([
    ["PUT", "/demo/model", JSON.stringify({ model: "openai/gpt-5", key: secret })],
    ["PUT", "/demo/model", JSON.stringify({ model: "ollama/qwen3" })],
  ]);
});
