import { useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Lab } from "./lab/Lab";
import { SourcePane } from "./source/SourcePane";
import { attach } from "./state/files";
import { labOpen, openLab } from "./state/lab";
import { loadLibraries } from "./state/libraries";
import { loadModels, models } from "./state/models";
import { loadSearches } from "./state/searches";
import { pathOf, route, type View } from "./state/route";
import { session } from "./state/session";
import { change, settings, type Theme } from "./state/settings";
import { closeSource, source, step } from "./state/source";
import { busy, loadChats, stop, talk } from "./state/talk";
import { ChatList } from "./talk/ChatList";
import { Talk } from "./talk/Talk";
import { droppedFiles } from "./text/drop";
import { IconButton } from "./ui/controls";
import { Help } from "./ui/Help";
import { Icon, type IconName } from "./ui/icons";
import { Evaluate } from "./views/Evaluate";
import { Libraries } from "./views/Libraries";
import { Keys } from "./views/Keys";
import { Server } from "./views/Server";
import { SignIn } from "./views/SignIn";

export function App(): JSX.Element {
  const [help, setHelp] = useState(false);
  const [menu, setMenu] = useState(false);
  useSignalEffect(() => {
    void session.key.value;
    if (session.asked.value) return;
    void loadModels();
    void loadChats();
    void loadLibraries();
    void loadSearches();
  });
  useKeys(() => setHelp(true));
  useEffect(() => setMenu(false), [route.value]);
  if (session.asked.value) return <SignIn reason={session.asked.value.reason} />;
  const { view } = route.value;
  return (
    <DropTarget>
      <Head menu={menu} onMenu={() => setMenu(!menu)} onHelp={() => setHelp(true)} />
      <div class={`body ${source.value && view === "talk" ? "with-source" : ""}`}>
        <div class={`side ${menu ? "open" : ""}`}>
          <ChatList onChosen={() => setMenu(false)} />
          <Links view={view} />
        </div>
        {menu ? (
          <button type="button" class="scrim" aria-label="Close the menu" onClick={() => setMenu(false)} />
        ) : null}
        <main class="main">
          {view === "talk" ? <Talk /> : null}
          {view === "libraries" ? <Libraries /> : null}
          {view === "evaluate" ? <Evaluate /> : null}
          {view === "keys" ? <Keys /> : null}
          {view === "server" ? <Server /> : null}
        </main>
        {view === "talk" ? <SourcePane /> : null}
      </div>
      {view === "talk" ? <Lab /> : null}
      {help ? <Help onClose={() => setHelp(false)} /> : null}
    </DropTarget>
  );
}

function Head({ menu, onMenu, onHelp }: { menu: boolean; onMenu: () => void; onHelp: () => void }) {
  return (
    <header class="head">
      <IconButton icon="menu" label="Menu" class="menu-button" expanded={menu} onClick={onMenu} />
      <a class="brand" href="#/talk">
        <span class="brand-mark" aria-hidden="true" />
        inlay
      </a>
      <HeadTitle />
      <ModelChoice />
      {route.value.view === "talk" ? (
        <IconButton
          icon="sliders"
          label="Lab"
          pressed={labOpen.value}
          onClick={() => (labOpen.value ? (labOpen.value = false) : openLab())}
        />
      ) : null}
      <ThemeChoice />
      <IconButton icon="help" label="Help (?)" onClick={onHelp} />
    </header>
  );
}

/** HeadTitle is the chat's; other views have headings of their own. */
function HeadTitle() {
  const { id, title } = talk.value;
  if (route.value.view !== "talk" || !id) return <div class="head-title" />;
  return (
    <h1 class="head-title">
      <bdi>{title || "Chat"}</bdi>
    </h1>
  );
}

function ModelChoice() {
  const { list, loaded } = models.value;
  if (!loaded) return null;
  return (
    <select
      class="model"
      aria-label="Model"
      value={settings.value.model}
      onChange={(e) => change({ model: e.currentTarget.value, unanswered: e.currentTarget.value === "" })}
    >
      {list.map((m) => (
        <option key={`${m.owned_by}/${m.id}`} value={m.id}>
          {m.id}
        </option>
      ))}
      <option value="">{list.length > 0 ? "Passages only" : "No model"}</option>
    </select>
  );
}

function ThemeChoice() {
  const dark =
    settings.value.theme === "dark" ||
    (settings.value.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  const next: Theme = dark ? "light" : "dark";
  return (
    <IconButton icon={dark ? "sun" : "moon"} label={`Use the ${next} theme`} onClick={() => change({ theme: next })} />
  );
}

const links: { view: View; label: string; icon: IconName }[] = [
  { view: "talk", label: "Talk", icon: "talk" },
  { view: "libraries", label: "Libraries", icon: "folder" },
  { view: "evaluate", label: "Evaluate", icon: "chart" },
  { view: "keys", label: "Keys", icon: "key" },
  { view: "server", label: "Server", icon: "server" },
];

function Links({ view }: { view: View }) {
  return (
    <nav class="links" aria-label="Views">
      {links.map((l) => (
        <a
          key={l.view}
          href={pathOf({ view: l.view, chat: l.view === "talk" ? talk.value.id : "" })}
          aria-current={l.view === view ? "page" : undefined}
        >
          <Icon name={l.icon} /> {l.label}
        </a>
      ))}
    </nav>
  );
}

/** DropTarget takes files that are dropped anywhere. */
function DropTarget({ children }: { children: JSX.Element | (JSX.Element | null)[] }) {
  const [over, setOver] = useState(0);
  const hasFiles = (e: DragEvent) => e.dataTransfer?.types.includes("Files") ?? false;
  return (
    <div
      class="app"
      onDragEnter={(e) => hasFiles(e) && setOver((n) => n + 1)}
      onDragLeave={(e) => hasFiles(e) && setOver((n) => Math.max(0, n - 1))}
      onDragOver={(e) => hasFiles(e) && e.preventDefault()}
      onDrop={(e) => {
        if (!hasFiles(e) || !e.dataTransfer) return;
        e.preventDefault();
        setOver(0);
        void droppedFiles(e.dataTransfer).then(({ files }) => attach(files));
      }}
    >
      {children}
      {over > 0 ? (
        <div class="drop" aria-hidden="true">
          <p>
            <Icon name="file" size={28} />
            Drop to ask about it
          </p>
        </div>
      ) : null}
    </div>
  );
}

const writes = (e: KeyboardEvent) =>
  e.target instanceof HTMLElement &&
  e.target.closest("input:not([type=range],[type=radio]), textarea, select, dialog") !== null;

/** useKeys are the keys that work wherever nobody writes. */
function useKeys(help: () => void) {
  useEffect(() => {
    const pressed = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
      if (e.key === "Escape") {
        if (busy.value) stop();
        else if (source.value) closeSource();
        return;
      }
      if (writes(e)) return;
      const act: Record<string, () => void> = {
        "[": () => step(-1),
        "]": () => step(1),
        "?": help,
        "/": () => {
          if (source.value) dispatchEvent(new Event("inlay-search"));
          else document.getElementById("question")?.focus();
        },
      };
      const chosen = act[e.key];
      if (!chosen) return;
      e.preventDefault();
      chosen();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}
