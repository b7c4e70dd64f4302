import { Component, computed, DestroyRef, inject, signal } from "@angular/core";
import { orders, parameters } from "../orders.js";

@Component({
  selector: "app-orders",
  template: `<ul>@for (order of shown(); track order.id) {<li>{{ order.id }}: {{ order.status }}</li>}</ul>`,
})
export class Orders {
  status = signal("");
  shown = computed(() => orders.filter((order) => !this.status() || order.status === this.status()));

  constructor() {
    const handler = (args: { status: string }) => {
      this.status.set(args.status);
      return { shown: this.shown().length };
    };
    const undo = [
      window.pageside.registerContext({ description: "Orders on screen", value: () => this.shown() }),
      window.pageside.registerTool({ name: "filter_orders", description: "Shows the orders of one status", effect: "read", parameters, handler }),
    ];
    inject(DestroyRef).onDestroy(() => undo.forEach((remove) => remove()));
  }
}
