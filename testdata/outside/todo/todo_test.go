package todo_test

import (
	"testing"

	"example.org/outside/todo"

	"inlay/parse"
	"inlay/parse/parsetest"
)

func TestParser(t *testing.T) {
	parsetest.Run(t, todo.New(parse.Limits{}), parsetest.Sample{
		Name: "house.todo", Data: []byte("# House\nx paint the door\nmend the roof\n"),
		Contains: []string{"House", "Done: paint the door", "Open: mend the roof"},
		Sections: []parse.Kind{parse.Heading, parse.Paragraph},
	})
}
