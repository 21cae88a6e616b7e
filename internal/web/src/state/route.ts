import { signal } from "@preact/signals";

export type View = "talk" | "evaluate" | "libraries" | "keys" | "server";

export interface Route {
  view: View;
  chat: string;
}

const views: readonly View[] = ["talk", "libraries", "evaluate", "keys", "server"];

function parse(hash: string): Route {
  const [first = "", second = ""] = hash.replace(/^#\/?/, "").split("/");
  if (first === "chat") return { view: "talk", chat: decodeURIComponent(second) };
  const view = views.find((v) => v === first) ?? "talk";
  return { view, chat: "" };
}

/** What the address says is shown. */
export const route = signal<Route>({ view: "talk", chat: "" });

export function beginRouting() {
  const read = () => {
    route.value = parse(location.hash);
  };
  addEventListener("hashchange", read);
  addEventListener("popstate", read);
  read();
}

export const pathOf = (r: Route): string => (r.view === "talk" && r.chat ? `#/chat/${r.chat}` : `#/${r.view}`);

/** show goes to an address; replace leaves no entry to come back to. */
export function show(r: Route, replace = false) {
  if (replace) history.replaceState(null, "", pathOf(r));
  else if (pathOf(r) !== location.hash) history.pushState(null, "", pathOf(r));
  route.value = r;
}
