import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { wordsOf } from "../api/http";
import { getChat, renameChat } from "../api/service";
import type { ChatWhole } from "../api/types";
import { show } from "../state/route";
import { chats, forgetChat, loadChats, newTalk, ownWords, talk } from "../state/talk";
import { place } from "../text/numbers";
import { ago } from "../text/time";
import { IconButton, Trouble } from "../ui/controls";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/icons";

/** ChatList is the chats that the service keeps, newest first. */
export function ChatList({ onChosen }: { onChosen: () => void }): JSX.Element {
  const [doomed, setDoomed] = useState<{ id: string; title: string } | null>(null);
  const [renamed, setRenamed] = useState<{ id: string; title: string } | null>(null);
  const { list, loaded, trouble } = chats.value;
  const sorted = [...list].sort((a, b) => b.updated_at - a.updated_at);
  return (
    <>
      <button
        type="button"
        class="new-chat"
        onClick={() => {
          newTalk();
          onChosen();
        }}
      >
        <Icon name="plus" /> New chat
      </button>
      <nav aria-label="Chats" class="chats">
        {trouble ? <p class="muted">{trouble}</p> : null}
        {loaded && !trouble && sorted.length === 0 ? (
          <p class="muted">Chats are kept here once you ask something.</p>
        ) : null}
        <ul>
          {sorted.map((c) => (
            <li key={c.id} class={c.id === talk.value.id ? "current" : ""}>
              <button
                type="button"
                class="chat-name"
                title={c.title}
                aria-current={c.id === talk.value.id ? "page" : undefined}
                onClick={() => {
                  show({ view: "talk", chat: c.id });
                  onChosen();
                }}
              >
                <bdi>{c.title || "Untitled"}</bdi>
                <span class="muted">{ago(c.updated_at)}</span>
              </button>
              <div class="chat-actions">
                <IconButton icon="edit" label={`Rename ${c.title}`} onClick={() => setRenamed(c)} />
                <IconButton icon="download" label={`Export ${c.title}`} onClick={() => void exportChat(c.id)} />
                <IconButton icon="trash" label={`Delete ${c.title}`} onClick={() => setDoomed(c)} />
              </div>
            </li>
          ))}
        </ul>
      </nav>
      {renamed ? <RenameChat chat={renamed} onClose={() => setRenamed(null)} /> : null}
      {doomed ? (
        <Dialog title="Delete this chat?" onClose={() => setDoomed(null)}>
          <p>
            “<bdi>{doomed.title}</bdi>” is deleted for good. Its files stay.
          </p>
          <div class="dialog-actions">
            <button type="button" onClick={() => setDoomed(null)}>
              Keep it
            </button>
            <button
              type="button"
              class="danger"
              onClick={() => {
                void forgetChat(doomed.id);
                setDoomed(null);
              }}
            >
              Delete
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

function RenameChat({ chat, onClose }: { chat: { id: string; title: string }; onClose: () => void }) {
  const [title, setTitle] = useState(chat.title);
  const [trouble, setTrouble] = useState({ text: "", next: "" });
  const rename = async () => {
    try {
      const { title: kept } = await renameChat(chat.id, title.trim());
      if (talk.value.id === chat.id) talk.value = { ...talk.value, title: kept };
      onClose();
      await loadChats();
    } catch (error) {
      setTrouble(wordsOf(error));
    }
  };
  return (
    <Dialog title="Rename this chat" onClose={onClose}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          void rename();
        }}
      >
        <Trouble {...trouble} />
        <label class="dialog-field">
          Title
          <input value={title} maxLength={120} required dir="auto" onInput={(e) => setTitle(e.currentTarget.value)} />
        </label>
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={!title.trim()}>
            Rename
          </button>
        </div>
      </form>
    </Dialog>
  );
}

async function exportChat(id: string) {
  const whole = await getChat(id);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([markdownOf(whole)], { type: "text/markdown" }));
  link.download = `${whole.title.replace(/[^\p{L}\p{N} _-]+/gu, "").trim() || "chat"}.md`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** markdownOf is a chat as a document, with the passages that its answers rest on. */
export function markdownOf(whole: ChatWhole): string {
  const out = [`# ${whole.title || "Chat"}`];
  for (const m of whole.history.messages) {
    if (m.role === "user") {
      const files = (m.attachments ?? []).map((a) => a.name);
      out.push(`## ${ownWords(m)}`, ...(files.length > 0 ? [`Files: ${files.join(", ")}`] : []));
      const cited = m.injected?.citations ?? [];
      if (cited.length > 0) out.push(cited.map((c) => `- [${c.number}] ${c.file}, ${place(c)}`).join("\n"));
    } else if (m.role === "assistant") out.push(m.text);
  }
  return out.join("\n\n") + "\n";
}
