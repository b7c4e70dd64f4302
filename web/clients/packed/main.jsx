import { createRoot } from "react-dom/client";
import App from "./Orders.jsx";

createRoot(/** @type {HTMLElement} */ (document.getElementById("root"))).render(<App />);
