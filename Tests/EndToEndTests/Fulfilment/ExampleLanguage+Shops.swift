/// The shops of the tests, one in each language.
extension ExampleLanguage {
    static let all = [
        ExampleLanguage(
            name: "sh", program: "sh", file: "consumer.sh", decide: ("decide.jq", "jq"),
            shop: (
                "shop.sh",
                """
                total() { jq -r --arg name "$1/$2" '.[$name] // empty' totals.json; }
                position() { [ ! -s state.json ] || jq -r '"\\(.position.store) \\(.position.after)"' state.json; }
                apply() {
                  [ ! -e steps ] || echo >>steps
                  [ ! -e steps ] || [ $(($(wc -l <steps) % 3)) != 1 ] || exit 9
                  [ -s state.json ] || echo '{}' >state.json
                  jq -R 'split("\\u001f")' | jq -s --slurpfile old state.json --arg store "$1" --arg after "$2" '
                    {position: {store: $store, after: ($after | tonumber)},
                     decisions: (reduce .[] as $e (($old[0].decisions // {}); . + {"\\($e[1])/\\($e[2])": "\\($e[0]) \\($e[3])"}))}
                    ' >state.new && mv state.new state.json || return 1
                  [ ! -e steps ] || [ $(($(wc -l <steps) % 3)) != 2 ] || exit 9
                }

                """
            )),
        ExampleLanguage(
            name: "python", program: "python3", file: "consumer.py",
            decide: ("decide.py", "python"),
            shop: (
                "shop.py",
                """
                import json, os
                def state():
                    if os.path.exists("state.json"): return json.load(open("state.json"))
                    return {"position": {"after": 0}, "decisions": {}}
                def total(endpoint, reference): return json.load(open("totals.json")).get(f"{endpoint}/{reference}")
                def position(): return state()["position"]
                def step(number):
                    if os.path.exists("steps") and os.path.getsize("steps") % 3 == number: os._exit(9)
                def apply(effects, at):
                    if os.path.exists("steps"): open("steps", "a").write(".")
                    step(1)
                    new = state()
                    new["position"] = at
                    for endpoint, action, name, why in effects: new["decisions"][f"{endpoint}/{name}"] = f"{action} {why}"
                    with open("state.new", "w") as file: json.dump(new, file)
                    os.replace("state.new", "state.json")
                    step(2)

                """
            )),
        ExampleLanguage(
            name: "js", program: "node", file: "consumer.mjs", decide: ("decide.js", "js"),
            shop: (
                "shop.js",
                """
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

                """
            )),
        ExampleLanguage(
            name: "php", program: "php", file: "consumer.php", decide: ("decide.php", "php"),
            shop: (
                "shop.php",
                """
                <?php
                function state() {
                    if (!is_file('state.json')) return ['position' => ['after' => 0], 'decisions' => []];
                    return json_decode(file_get_contents('state.json'), true);
                }
                function total($e, $r) { return json_decode(file_get_contents('totals.json'), true)["$e/$r"] ?? null; }
                function position() { return state()['position']; }
                function step($n) { clearstatcache(); if (is_file('steps') && filesize('steps') % 3 === $n) exit(9); }
                function apply($effects, $at) {
                    if (is_file('steps')) file_put_contents('steps', '.', FILE_APPEND);
                    step(1);
                    $new = state();
                    $new['position'] = $at;
                    foreach ($effects as [$endpoint, $action, $name, $why]) $new['decisions']["$endpoint/$name"] = "$action $why";
                    file_put_contents('state.new', json_encode($new));
                    rename('state.new', 'state.json');
                    step(2);
                }

                """
            )),
        ExampleLanguage(
            name: "swift", program: "swiftc", file: "main.swift",
            decide: ("decide.swift", "swift"),
            shop: (
                "shop.swift",
                """
                import Foundation
                private struct State: Codable { var position = Position(), decisions: [String: String] = [:] }
                private let file = URL(fileURLWithPath: "state.json")
                private func state() throws -> State {
                    guard let data = try? Data(contentsOf: file) else { return State() }
                    return try JSONDecoder().decode(State.self, from: data)
                }
                private func size() -> Int? { (try? Data(contentsOf: URL(fileURLWithPath: "steps")))?.count }
                private func step(_ number: Int) { if let size = size(), size % 3 == number { exit(9) } }
                func total(_ e: String, _ r: String) async throws -> String? {
                    let data = try Data(contentsOf: URL(fileURLWithPath: "totals.json"))
                    return try JSONDecoder().decode([String: String].self, from: data)["\\(e)/\\(r)"]
                }
                func position() async throws -> Position? { try state().position }
                func apply(_ effects: [Effect], _ at: Position) async throws {
                    if let size = size() { try Data(count: size + 1).write(to: URL(fileURLWithPath: "steps")) }
                    step(1)
                    var new = try state()
                    new.position = at
                    for effect in effects { new.decisions["\\(effect.endpoint)/\\(effect.name)"] = "\\(effect.action) \\(effect.why)" }
                    try JSONEncoder().encode(new).write(to: file, options: .atomic)
                    step(2)
                }

                """
            )),
    ]
}
