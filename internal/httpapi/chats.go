package httpapi

import (
	"encoding/json"
	"strconv"

	"inlay/chat"
	"inlay/internal/chats"
	"inlay/internal/state"
)

// ChatObject is a chat without what was said.
type ChatObject struct {
	ID        string `json:"id"`
	Object    string `json:"object"`
	Title     string `json:"title"`
	CreatedAt int64  `json:"created_at"`
	UpdatedAt int64  `json:"updated_at"`
	Turns     int    `json:"turns"`
}

// chatWhole is a chat with its history, its files and the results of its turns,
// as they were, for replay.
type chatWhole struct {
	ChatObject
	History chat.History      `json:"history" doc:"inlay.history/v1"`
	Files   []chat.Attachment `json:"files" doc:"attached so far, each once"`
	Results []turnResult      `json:"results"`
}

// turnResult is what one turn came to.
type turnResult struct {
	Turn      int             `json:"turn"`
	CreatedAt int64           `json:"created_at"`
	Result    json.RawMessage `json:"result" doc:"inlay.result/v1 of the files; null where there was nothing to decide"`
	Execution json.RawMessage `json:"execution,omitempty" doc:"inlay.execution/v1 of a turn that a strategy made: enough to replay it"`
}

type chatList struct {
	Object  string       `json:"object"`
	Data    []ChatObject `json:"data"`
	HasMore bool         `json:"has_more"`
}

func describeChat(c state.Chat) ChatObject {
	return ChatObject{c.ID, "chat", c.Title, c.Created.Unix(), c.Updated.Unix(), c.Turns}
}

// chatRequest is the body of POST /v1/chats.
type chatRequest struct {
	Title string    `json:"title,omitempty"`
	Copy  *chatCopy `json:"copy,omitempty" doc:"begin with what was said in another chat, to go on otherwise from there"`
}

// chatCopy is the beginning of another chat.
type chatCopy struct {
	ChatID string `json:"chat_id"`
	Turns  int    `json:"turns" doc:"how many of its first turns"`
}

func (a *API) newChat(c *call) error {
	var r chatRequest
	if err := c.decode(&r); err != nil {
		return err
	}
	var made state.Chat
	var err error
	if r.Copy == nil {
		made, err = a.service.NewChat(c.ctx(), c.owner, r.Title)
	} else {
		made, err = a.service.CopyChat(c.ctx(), c.owner, r.Title, r.Copy.ChatID, r.Copy.Turns)
	}
	if err != nil {
		return err
	}
	return c.json(describeChat(made))
}

// chatChange is the body of POST /v1/chats/{id}.
type chatChange struct {
	Title *string `json:"title,omitempty" doc:"the new title; without it nothing changes"`
}

// changeChat renames a chat.
func (a *API) changeChat(c *call) error {
	var r chatChange
	if err := c.decode(&r); err != nil {
		return err
	}
	id := c.PathValue("id")
	if r.Title == nil {
		found, err := a.service.Chat(c.ctx(), c.owner, id)
		if err != nil {
			return err
		}
		return c.json(describeChat(found.Chat))
	}
	renamed, err := a.service.RenameChat(c.ctx(), c.owner, id, *r.Title)
	if err != nil {
		return err
	}
	return c.json(describeChat(renamed))
}

func (a *API) listChats(c *call) error {
	p, err := c.page(1000)
	if err != nil {
		return err
	}
	chats, more, err := a.service.ListChats(c.ctx(), c.owner, p)
	if err != nil {
		return err
	}
	if err := known(chats, p, func(id string) error { _, err := a.service.Chat(c.ctx(), c.owner, id); return err }); err != nil {
		return err
	}
	list := chatList{Object: "list", Data: []ChatObject{}, HasMore: more}
	for _, one := range chats {
		list.Data = append(list.Data, describeChat(one))
	}
	return c.json(list)
}

func (a *API) getChat(c *call) error {
	found, err := a.service.Chat(c.ctx(), c.owner, c.PathValue("id"))
	if err != nil {
		return err
	}
	return c.json(wholeChat(found))
}

func wholeChat(found chats.Conversation) chatWhole {
	w := chatWhole{
		ChatObject: describeChat(found.Chat), History: chat.History{Schema: chat.HistorySchema, Messages: found.Messages},
		Files: []chat.Attachment{}, Results: []turnResult{},
	}
	seen := map[string]bool{}
	for _, m := range found.Messages {
		for _, f := range m.Attachments {
			if !seen[f.FileID] {
				seen[f.FileID] = true
				w.Files = append(w.Files, f)
			}
		}
	}
	for _, t := range found.Turns {
		w.Results = append(w.Results, turnResult{t.Number, t.Created.Unix(), t.Result, executionOf(t)})
	}
	return w
}

// executionOf is what a strategy made of a turn, if one did.
func executionOf(t state.Turn) json.RawMessage {
	var said []struct{ Execution json.RawMessage }
	if json.Unmarshal(t.Messages, &said) != nil {
		return nil
	}
	for _, m := range said {
		if m.Execution != nil {
			return m.Execution
		}
	}
	return nil
}

// replayTurn renders a kept turn again that a strategy made.
func (a *API) replayTurn(c *call) error {
	number, _ := strconv.Atoi(c.PathValue("turn")) // what is not a number is the number of no turn
	again, err := a.service.Replay(c.ctx(), c.owner, c.PathValue("id"), number)
	if err != nil {
		return err
	}
	return c.json(again)
}

func (a *API) deleteChat(c *call) error {
	id := c.PathValue("id")
	if err := a.service.DeleteChat(c.ctx(), c.owner, id); err != nil {
		return err
	}
	return c.json(deleted{ID: id, Object: "chat", Deleted: true})
}

// addMessage keeps an answer that the client got elsewhere.
func (a *API) addMessage(c *call) error {
	var given message
	if err := c.decode(&given); err != nil {
		return err
	}
	m, err := given.plain(func() string { return "message" })
	if err != nil {
		return err
	}
	id := c.PathValue("id")
	if err := a.service.AddMessage(c.ctx(), c.owner, id, m); err != nil {
		return err
	}
	return a.getChat(c)
}
