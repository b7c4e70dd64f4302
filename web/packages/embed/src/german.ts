export { german } from "../../react/src/labels/german.js";
