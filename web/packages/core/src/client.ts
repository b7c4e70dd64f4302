import type { ClientOptions, PagesideClient } from "./types.js";

export declare function createPagesideClient(options?: ClientOptions): PagesideClient;
