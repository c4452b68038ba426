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
