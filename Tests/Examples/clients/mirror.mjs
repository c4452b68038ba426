// Reads the value of each line by the model, and writes what it read, or why it cannot.
import fs from "node:fs";
import * as ipnd from "./ipnd.js";

for (const line of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const { type, value } = JSON.parse(line);
  let answer;
  try {
    answer = { value: ipnd[`read${type}`](value) };
  } catch (error) {
    if (!(error instanceof ipnd.Malformed)) throw error;
    answer = { error: error.message };
  }
  console.log(JSON.stringify(answer));
}
