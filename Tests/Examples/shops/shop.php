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
