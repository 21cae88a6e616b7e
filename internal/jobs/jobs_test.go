package jobs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/state"
)

// TestEvaluationsTakeTurns: a key that queues many does not hold up another.
func TestEvaluationsTakeTurns(t *testing.T) {
	var s evaluations
	waiting := []state.Evaluation{{ID: "1", Owner: "ann"}, {ID: "2", Owner: "ann"}, {ID: "3", Owner: "bob"}, {ID: "4", Owner: "ann"}}
	var order strings.Builder
	for len(waiting) > 0 {
		i := s.turn(waiting)
		order.WriteString(waiting[i].ID)
		waiting = append(waiting[:i:i], waiting[i+1:]...)
	}
	require.Equal(t, "1324", order.String())
}
