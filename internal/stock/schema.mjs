// Prints the JSON Schemas of AG-UI that @ag-ui/core validates with, as an object by name. It runs
// in the folder of the web packages.
import { createRequire } from "node:module";

const require = createRequire(process.cwd() + "/");
const core = require("@ag-ui/core/schemas");
const { z } = createRequire(require.resolve("@ag-ui/core"))("zod/v4");

const schemas = {};
for (const name of ["Event", "Message", "RunAgentInput", "AgentCapabilities"])
  schemas[name] = z.toJSONSchema(core[`${name}Schema`], { io: "input", unrepresentable: "any", reused: "ref" });
process.stdout.write(JSON.stringify(schemas));
