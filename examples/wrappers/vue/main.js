import { createApp } from "vue";
import Orders from "./Orders.vue";

createApp(Orders).mount("#app");
