export { german } from "../../react/src/tray/strings.de.js";
