import "@angular/compiler"; // `ng build` compiles ahead of time, and needs no compiler in the page
import { bootstrapApplication } from "@angular/platform-browser";
import { Orders } from "./orders.js";

void bootstrapApplication(Orders);
