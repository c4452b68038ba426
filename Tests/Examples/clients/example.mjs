// Runs the page's example on standard input.
import fs from "node:fs";
import { paid } from "./example.js";

for (const line of paid(fs.readFileSync(0, "utf8"))) console.log(line);
