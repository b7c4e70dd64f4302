/**
 * Whether this is `make test-long`, whose tests try every byte, every prefix and every size.
 * `make test` tries a sample of them.
 */
export const isLong = process.env["PAGESIDE_LONG"] === "1";

/** The step by which a loop goes over all positions: 1 in the long version, else `short`. */
export const stride = (short: number): number => (isLong ? 1 : short);
