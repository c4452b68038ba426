// Reads the value of each line by the model, and writes what it read, or why it cannot.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"

	"example.com/shop/ipnd"
)

type task struct {
	Type  string
	Value json.RawMessage
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 64<<20)
	output := json.NewEncoder(os.Stdout)
	for input.Scan() {
		var next task
		if err := json.Unmarshal(input.Bytes(), &next); err != nil {
			panic(err)
		}
		values := map[string]any{
			"Message": new(ipnd.Message), "EventPage": new(ipnd.EventPage),
			"EventRecord": new(ipnd.EventRecord), "Order": new(ipnd.Order),
		}
		answer := map[string]any{"value": values[next.Type]}
		if err := json.Unmarshal(next.Value, values[next.Type]); err != nil {
			var malformed *ipnd.Malformed
			if !errors.As(err, &malformed) {
				panic(err)
			}
			answer = map[string]any{"error": err.Error()}
		}
		if err := output.Encode(answer); err != nil {
			panic(err)
		}
	}
	if err := input.Err(); err != nil {
		panic(err)
	}
}
