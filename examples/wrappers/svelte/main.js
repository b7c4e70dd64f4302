import { mount } from "svelte";
import Orders from "./Orders.svelte";

mount(Orders, { target: document.querySelector("#app") });
