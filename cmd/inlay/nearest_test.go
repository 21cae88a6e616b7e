package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	known := []string{"ask", "chat", "doctor", "serve", "retrieval_limit"}
	for word, want := range map[string]string{
		"aks": "ask", "chta": "chat", "docter": "doctor", "retreival_limit": "retrieval_limit", "frobnicate": "", "colour": "", "": "",
	} {
		require.Equal(t, want, nearest(word, known), word)
	}
}
