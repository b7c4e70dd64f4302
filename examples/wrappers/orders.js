/** What the three pages show. */
export const orders = ["open", "paid", "open", "sent", "paid", "open"].map((status, i) => ({ id: i + 1, status }));

/** What `filter_orders` takes. */
export const parameters = {
  type: "object",
  properties: { status: { type: "string", enum: ["open", "paid", "sent"] } },
  required: ["status"],
};
