import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { session } from "../state/session";

/** SignIn asks for a key, where the service asks for one. */
export function SignIn({ reason }: { reason: string }): JSX.Element {
  const [key, setKey] = useState("");
  const [remember, setRemember] = useState(false);
  return (
    <main class="sign-in">
      <form
        class="card"
        onSubmit={(e) => {
          e.preventDefault();
          session.signIn(key.trim(), remember);
        }}
      >
        <h1>Sign in</h1>
        <p>This service asks for a key. Who runs it makes one with</p>
        <code>inlay keys make NAME --data DIR</code>
        {reason ? (
          <p class="warning-text" role="alert">
            {reason}
          </p>
        ) : null}
        <label>
          Key
          <input
            type="password"
            id="key"
            autocomplete="current-password"
            placeholder="inlay_…"
            value={key}
            onInput={(e) => setKey(e.currentTarget.value)}
          />
        </label>
        <label class="check">
          <input type="checkbox" checked={remember} onChange={(e) => setRemember(e.currentTarget.checked)} /> Stay
          signed in on this computer
        </label>
        <button type="submit" class="primary" disabled={!key.trim()}>
          Sign in
        </button>
      </form>
    </main>
  );
}
