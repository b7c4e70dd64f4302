import * as client from "ag-ui-client-0";
import { suite } from "../src/suite.mjs";

suite("@ag-ui/client 0.0.59", 0, client);
