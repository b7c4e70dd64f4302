import * as client from "ag-ui-client-1";
import { suite } from "../src/suite.mjs";

suite("@ag-ui/client 1.0.0", 1, client);
