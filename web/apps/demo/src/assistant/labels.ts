/** The label of the ticked rows: what a user writes to mention them. */
export const SELECTED_ROWS = "@selected-rows";
