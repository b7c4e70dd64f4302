import { commandsOf, type PagesideClient, type SlashCommand } from "@pageside/core";
import { useState } from "react";
import { useLayoutEffect } from "./effects.js";
import { useSource } from "./registration.js";

/** Registers commands until the component is gone, or the returned function is called. */
export type RegisterCommands = (commands: readonly SlashCommand[]) => () => void;

/**
 * Returns a stable function. Commands registered while rendering are registered once as long as
 * renders agree.
 */
export function useCommands(client: PagesideClient): RegisterCommands {
  const [held] = useState(() => new HeldCommands());
  const source = useSource(undefined);
  const asked = held.beginRender();
  useLayoutEffect(() => held.commit(client, asked, source));
  useLayoutEffect(() => () => held.release(), [held, client]);
  return held.register;
}

interface Registration {
  commands: readonly SlashCommand[];
  undo?: () => void;
  isOver?: boolean;
}

class HeldCommands {
  #client: PagesideClient | undefined;
  /** The plug-in around. */
  #source: string | undefined;
  /** The commands of the current render; undefined outside a render. */
  #rendering: Registration[] | undefined;
  /** The registered commands of the last render. */
  #rendered: Registration[] = [];
  #shape = "[]";
  /** The commands registered outside of rendering. */
  readonly #others = new Set<Registration>();

  beginRender(): Registration[] {
    const asked: Registration[] = [];
    this.#rendering = asked;
    // A render is synchronous: it has ended by the next task, even if React discards its result.
    queueMicrotask(() => {
      if (this.#rendering === asked) this.#rendering = undefined;
    });
    return asked;
  }

  readonly register: RegisterCommands = (commands) => {
    const registration: Registration = { commands };
    if (this.#rendering) this.#rendering.push(registration);
    else {
      this.#others.add(registration);
      this.#apply(registration);
    }
    return () => {
      registration.isOver = true;
      registration.undo?.();
      this.#others.delete(registration);
    };
  };

  commit(client: PagesideClient, asked: readonly Registration[], source: string | undefined): void {
    this.#client = client;
    this.#source = source;
    this.#rendering = undefined;
    const next = asked.filter(({ isOver }) => !isOver);
    const shape = JSON.stringify(next.map(({ commands }) => commands.map(shapeOf)));
    if (shape === this.#shape) {
      // Updates the functions behind the existing registrations.
      next.forEach(({ commands }, index) => (this.#rendered[index]!.commands = commands));
    } else {
      for (const { undo } of this.#rendered) undo?.();
      this.#rendered = next;
      this.#shape = shape;
    }
    for (const registration of [...this.#rendered, ...this.#others]) this.#apply(registration);
  }

  /** The component has unmounted. If mounted again, it commits again. */
  release(): void {
    this.#client = undefined;
    for (const registration of [...this.#rendered, ...this.#others]) {
      registration.undo?.();
      registration.undo = undefined;
    }
  }

  #apply(registration: Registration): void {
    if (!this.#client || registration.undo || registration.isOver) return;
    const registry = commandsOf(this.#client);
    const undo = registration.commands.map((command, index) =>
      registry.register({ ...(this.#source && { source: this.#source }), ...withLatest(registration, command, index) }),
    );
    registration.undo = () => undo.forEach((each) => each());
  }
}

/** A command whose functions are those of the last render. */
function withLatest(registration: Registration, command: SlashCommand, index: number): SlashCommand {
  const { prompt, handler } = command;
  const now = () => registration.commands[index] ?? command;
  return {
    ...command,
    ...(handler && { handler: (args: string) => now().handler?.(args) }),
    ...(typeof prompt === "function" && { prompt: (args: string) => textOf(now().prompt, args) }),
  };
}

function textOf(prompt: SlashCommand["prompt"] = "", args: string): string {
  return typeof prompt === "function" ? prompt(args) : prompt;
}

/** The comparable part of a command: everything but its functions. */
function shapeOf({ prompt, handler, ...rest }: SlashCommand): object {
  return { ...rest, prompt: typeof prompt === "function" || prompt, handler: Boolean(handler) };
}
