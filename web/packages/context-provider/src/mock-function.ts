/** A function that records its calls, for tests in any runner. */

/** What a mocked function did with one call. */
export interface MockResult {
  type: "return" | "throw" | "incomplete";
  value: unknown;
}

/**
 * Records its calls and returns what it is told to, under the names that Jest and Vitest use: their
 * `expect(mock).toHaveBeenCalledWith(…)` takes it.
 */
export interface MockFunction<Args extends unknown[], Result> {
  (...args: Args): Promise<Result>;
  readonly mock: { readonly calls: Args[]; readonly results: MockResult[] };
  mockImplementation(does: (...args: Args) => Result | Promise<Result>): this;
  mockImplementationOnce(does: (...args: Args) => Result | Promise<Result>): this;
  mockReturnValue(value: Result | Promise<Result>): this;
  mockResolvedValue(value: Result): this;
  mockResolvedValueOnce(value: Result): this;
  mockRejectedValue(error: unknown): this;
  mockRejectedValueOnce(error: unknown): this;
  /** Forgets the calls, not what to return. */
  mockClear(): this;
  getMockName(): string;
}

/** Makes a function that does `first` until it is told otherwise. */
export function mockFunction<Args extends unknown[], Result>(
  name: string,
  first: (...args: Args) => Result | Promise<Result>,
): MockFunction<Args, Result> {
  type Does = typeof first;
  let always: Does = first;
  const once: Does[] = [];
  const calls: Args[] = [];
  const results: MockResult[] = [];
  const rejects = (error: unknown) => () => Promise.reject(error);

  const call = async (...args: Args): Promise<Result> => {
    const result: MockResult = { type: "incomplete", value: undefined };
    calls.push(args);
    results.push(result);
    try {
      const value = await (once.shift() ?? always)(...args);
      Object.assign(result, { type: "return", value });
      return value;
    } catch (error) {
      Object.assign(result, { type: "throw", value: error });
      throw error;
    }
  };
  const set = (change: () => unknown) => () => (change(), mock);
  const mock: MockFunction<Args, Result> = Object.assign(call, {
    _isMockFunction: true,
    mock: { calls, results },
    mockImplementation: (does: Does) => set(() => (always = does))(),
    mockImplementationOnce: (does: Does) => set(() => once.push(does))(),
    mockReturnValue: (value: Result | Promise<Result>) => set(() => (always = () => value))(),
    mockResolvedValue: (value: Result) => set(() => (always = () => value))(),
    mockResolvedValueOnce: (value: Result) => set(() => once.push(() => value))(),
    mockRejectedValue: (error: unknown) => set(() => (always = rejects(error)))(),
    mockRejectedValueOnce: (error: unknown) => set(() => once.push(rejects(error)))(),
    mockClear: set(() => (calls.splice(0), results.splice(0))),
    getMockName: () => name,
  }) as MockFunction<Args, Result>;
  return mock;
}
