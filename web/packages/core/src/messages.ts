/** What messages say, for pages and parts that only draw messages: no client comes along. */
export { actionOf, BLOCK_TYPE, cutBy, isNote, readMetadata } from "./protocol/pageside.js";
export { textOf } from "./protocol/text.js";
export { membersOf } from "./base/values.js";
