import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { models } from "../state/models";
import { draft, talk } from "../state/talk";
import { Spinner, Trouble } from "../ui/controls";
import { Icon } from "../ui/icons";
import { Composer } from "./Composer";
import { TurnView } from "./Message";

export function Talk(): JSX.Element {
  const { turns, loading, trouble } = talk.value;
  return (
    <section class="talk" aria-label="Talk">
      <div class="turns">
        {loading ? <Spinner label="Opening the chat" /> : null}
        <Trouble text={trouble} next="Choose another chat, or begin a new one." />
        {!loading && !trouble && turns.length === 0 ? <Empty /> : null}
        {turns.map((t) => (
          <TurnView key={t.key} turn={t} />
        ))}
        <KeepInView />
      </div>
      <Composer />
    </section>
  );
}

/** KeepInView follows a growing answer, unless its reader has scrolled away. */
function KeepInView() {
  const ref = useRef<HTMLDivElement>(null);
  const last = talk.value.turns.at(-1);
  const count = talk.value.turns.length;
  useEffect(() => {
    ref.current?.scrollIntoView({ block: "end" });
  }, [count, talk.value.id]);
  useEffect(() => {
    const box = ref.current?.parentElement;
    if (!box) return;
    const near = box.scrollHeight - box.scrollTop - box.clientHeight < 160;
    if (near) ref.current?.scrollIntoView({ block: "end" });
  }, [last?.answer, last?.state]);
  return <div ref={ref} class="end" />;
}

const examples = ["What are the main points?", "Which dates and amounts are named?", "What does it say about …"];

/** Empty teaches what to do first. */
function Empty() {
  return (
    <div class="empty">
      <span class="empty-mark" aria-hidden="true">
        <Icon name="file" size={24} />
      </span>
      <h1>Ask your documents</h1>
      <p>
        Drop files or a folder anywhere on this page. You see what fits into the model’s window before anything is sent,
        and every number in an answer opens the page it comes from.
      </p>
      <ul class="examples" aria-label="Examples of questions">
        {examples.map((e) => (
          <li key={e}>
            <button
              type="button"
              onClick={() => {
                draft.value = e;
                document.getElementById("question")?.focus();
              }}
            >
              {e}
            </button>
          </li>
        ))}
      </ul>
      <Trouble text={models.value.trouble} next="The models are asked for again with your question." />
      {models.value.loaded && !models.value.trouble && models.value.list.length === 0 ? <NoModel /> : null}
    </div>
  );
}

function NoModel() {
  return (
    <div class="note">
      <p>
        <strong>No model is connected.</strong> You can look at passages and prompts all the same. To get answers, start
        the service with a server of models:
      </p>
      <code>inlay serve --data data --upstream local=ollama:http://127.0.0.1:11434</code>
    </div>
  );
}
