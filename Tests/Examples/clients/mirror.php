<?php
// Reads the value of each line by the model, and writes what it read, or why it cannot. With an
// argument the line is parsed to arrays, as `json_decode($line, true)` does.
declare(strict_types=1);
require __DIR__ . '/ipnd.php';

while (($line = fgets(STDIN)) !== false) {
    $task = isset($argv[1])
        ? (object) json_decode($line, true, 512, JSON_THROW_ON_ERROR)
        : Ipnd\Read::json($line);
    try {
        $answer = ['value' => ('Ipnd\\' . $task->type)::read($task->value)];
    } catch (Ipnd\Malformed $error) {
        $answer = ['error' => $error->getMessage()];
    }
    echo json_encode($answer, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION), "\n";
}
