import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { readiness } from "../api/service";
import type { Readiness } from "../api/types";
import { loadModels, models } from "../state/models";
import { plural } from "../text/numbers";
import { Spinner, Trouble } from "../ui/controls";

interface Check {
  name: string;
  good: boolean;
  text: string;
  next: string;
}

/** Server shows whether the service is sound, and what to do where it is not. */
export function Server(): JSX.Element {
  const [ready, setReady] = useState<Readiness | null>(null);
  const [trouble, setTrouble] = useState("");
  const look = () => {
    readiness().then(
      (r) => {
        setReady(r);
        setTrouble("");
      },
      () => setTrouble("The service cannot be reached."),
    );
    void loadModels();
  };
  useEffect(look, []);
  return (
    <section class="view" aria-labelledby="server-title">
      <h1 id="server-title">Server</h1>
      <p class="lead">
        Whether the service is sound. <code>inlay doctor</code> checks more, on the computer it runs on.
      </p>
      <Trouble text={trouble} next="See whether inlay is still running." />
      {!ready && !trouble ? <Spinner label="Looking" /> : null}
      {ready ? (
        <ul class="checks">
          {checksOf(ready).map((c) => (
            <li key={c.name} class={c.good ? "good" : "bad"}>
              <span class="dot" aria-hidden="true" />
              <div>
                <strong>{c.name}</strong> <span>{c.text}</span>
                {c.next ? <p class="muted">{c.next}</p> : null}
              </div>
            </li>
          ))}
        </ul>
      ) : null}
      <button type="button" onClick={look}>
        Look again
      </button>
    </section>
  );
}

function checksOf(r: Readiness): Check[] {
  const checks: Check[] = [
    {
      name: "Service",
      good: r.status === "ready",
      text: (r.status === "ready" ? "ready" : "not ready") + (r.version ? `, version ${r.version}` : ""),
      next: "",
    },
    {
      name: "Disk",
      good: r.disk === "ok",
      text: r.disk === "ok" ? "has room" : "is full",
      next: r.disk === "ok" ? "" : "Delete chats or files: until then nothing new can be kept.",
    },
  ];
  for (const u of r.upstreams ?? []) {
    const up = u.state === "up" || u.state === "unknown";
    checks.push({
      name: `Models of ${u.name}`,
      good: up,
      text: up ? plural(u.models, "model") : `${u.state}${u.code ? `, ${u.code.replaceAll("_", " ")}` : ""}`,
      next: up
        ? ""
        : `See whether that server runs${u.retry_after ? `; it is asked again in ${u.retry_after} s` : ""}.`,
    });
  }
  if ((r.upstreams ?? []).length === 0) {
    checks.push({
      name: "Models",
      good: false,
      text: "none are connected",
      next:
        models.value.trouble || "Start the service with --upstream local=ollama:http://127.0.0.1:11434 to get answers.",
    });
  }
  return checks;
}
