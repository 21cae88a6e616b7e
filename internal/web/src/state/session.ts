import { signal } from "@preact/signals";

const keyName = "inlay.key";

function stored(store: Storage, name: string): string {
  try {
    return store.getItem(name) ?? "";
  } catch {
    return "";
  }
}

function store(to: Storage, name: string, value: string) {
  try {
    if (value) to.setItem(name, value);
    else to.removeItem(name);
  } catch {
    // a browser that keeps nothing: the page works, and forgets
  }
}

const key = signal("");
const asked = signal<{ reason: string } | null>(null);

/** Who calls: the key, and whether the page has to ask for one. */
export const session = {
  key,
  asked,

  /**
   * begin takes the key out of the address, where inlay open puts it, or out of what this browser kept. It returns the
   * files that the address names.
   */
  begin(): string[] {
    const match = /^#key=([^&]+)(?:&files=([\w,-]+))?$/.exec(location.hash);
    if (match?.[1]) {
      key.value = decodeURIComponent(match[1]);
      store(sessionStorage, keyName, key.value);
      history.replaceState(null, "", location.pathname);
      return match[2]?.split(",") ?? [];
    }
    key.value = stored(sessionStorage, keyName) || stored(localStorage, keyName);
    return [];
  },

  signIn(secret: string, remember: boolean) {
    key.value = secret;
    asked.value = null;
    store(sessionStorage, keyName, secret);
    store(localStorage, keyName, remember ? secret : "");
  },

  signOut() {
    key.value = "";
    store(sessionStorage, keyName, "");
    store(localStorage, keyName, "");
    asked.value = { reason: "" };
  },

  /** expired is called when the service refuses the key. */
  expired(reason: string) {
    asked.value = { reason: key.value ? reason : "" };
  },
};
