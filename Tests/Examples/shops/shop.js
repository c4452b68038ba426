import fs from "node:fs";
const read = (file) => JSON.parse(fs.readFileSync(file));
const state = () => fs.existsSync("state.json") ? read("state.json") : { position: { after: 0 }, decisions: {} };
export const total = async (e, r) => read("totals.json")[`${e}/${r}`];
export const position = async () => state().position;
const step = (n) => { if (fs.existsSync("steps") && fs.statSync("steps").size % 3 === n) process.exit(9); };
export async function apply(effects, at) {
  if (fs.existsSync("steps")) fs.appendFileSync("steps", ".");
  step(1);
  const next = { ...state(), position: at };
  for (const { endpoint, action, name, why } of effects) next.decisions[`${endpoint}/${name}`] = `${action} ${why}`;
  fs.writeFileSync("state.new", JSON.stringify(next));
  fs.renameSync("state.new", "state.json");
  step(2);
}
