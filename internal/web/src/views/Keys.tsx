import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { wordsOf } from "../api/http";
import { listKeys, makeKey, revokeKey } from "../api/service";
import type { KeyObject } from "../api/types";
import { session } from "../state/session";
import { ago } from "../text/time";
import { IconButton, Trouble } from "../ui/controls";
import { Icon } from "../ui/icons";

/** Keys lists, makes and revokes the keys of the caller's owner. */
export function Keys(): JSX.Element {
  const [keys, setKeys] = useState<KeyObject[] | null>(null);
  const [made, setMade] = useState<KeyObject | null>(null);
  const [trouble, setTrouble] = useState({ text: "", next: "" });
  const without = session.key.value === "";
  const load = () =>
    listKeys().then(
      (list) => {
        setKeys(list);
        setTrouble({ text: "", next: "" });
      },
      (error: unknown) => setTrouble(wordsOf(error)),
    );
  useEffect(() => {
    if (!without) void load();
  }, []);
  const act = (work: Promise<unknown>) => void work.then(load, (error: unknown) => setTrouble(wordsOf(error)));
  return (
    <section class="view" aria-labelledby="keys-title">
      <h1 id="keys-title">Keys</h1>
      <p class="lead">
        Programs and people call this service with keys. What one key’s owner keeps, no other owner sees.
      </p>
      <Trouble {...trouble} />
      {keys ? <NewKey onMake={(name, scope, days) => act(makeKey(name, scope, days).then(setMade))} /> : null}
      {made?.secret ? (
        <div class="note" role="status">
          <p>
            <strong>{made.name}</strong>: copy it now, it is not shown again.
          </p>
          <code class="secret">{made.secret}</code>
        </div>
      ) : null}
      {keys && keys.length > 0 ? (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Allows</th>
              <th scope="col">Made</th>
              <th scope="col">
                <span class="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {keys.map((k) => (
              <tr key={k.id}>
                <td>
                  <bdi>{k.name}</bdi>
                </td>
                <td>{k.scope}</td>
                <td>{k.created_at ? ago(k.created_at) : ""}</td>
                <td>
                  <IconButton icon="trash" label={`Revoke ${k.name}`} onClick={() => act(revokeKey(k.id))} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      {without ? (
        <div class="note">
          <p>
            <strong>There is no key yet.</strong> Only this computer can call, and everything is one owner’s. The first
            key is made where the service runs; from then on everybody signs in:
          </p>
          <code>inlay keys make NAME --data DIR --scope admin</code>
        </div>
      ) : null}
      {session.key.value ? (
        <button type="button" onClick={() => session.signOut()}>
          <Icon name="key" /> Sign out
        </button>
      ) : null}
    </section>
  );
}

function NewKey({ onMake }: { onMake: (name: string, scope: string, days: number) => void }) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState("write");
  const [days, setDays] = useState("90");
  return (
    <form
      class="new-key"
      onSubmit={(e) => {
        e.preventDefault();
        onMake(name.trim(), scope, Number(days));
        setName("");
      }}
    >
      <label>
        Name
        <input value={name} maxLength={80} required onInput={(e) => setName(e.currentTarget.value)} />
      </label>
      <label>
        Allows
        <select value={scope} onChange={(e) => setScope(e.currentTarget.value)}>
          <option value="read">read</option>
          <option value="write">write</option>
          <option value="admin">admin</option>
        </select>
      </label>
      <label>
        For
        <select value={days} onChange={(e) => setDays(e.currentTarget.value)}>
          <option value="7">7 days</option>
          <option value="90">90 days</option>
          <option value="365">a year</option>
          <option value="0">ever</option>
        </select>
      </label>
      <button type="submit" class="primary" disabled={!name.trim()}>
        Make
      </button>
    </form>
  );
}
