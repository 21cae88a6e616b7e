import { signal } from "@preact/signals";
import { wordsOf } from "../api/http";
import { models as fetchModels } from "../api/service";
import type { ModelObject } from "../api/types";
import { change, settings } from "./settings";

/** The models of the service, as it last gave them, and why it did not give them since. */
export const models = signal<{ list: ModelObject[]; loaded: boolean; trouble: string }>({
  list: [],
  loaded: false,
  trouble: "",
});

export async function loadModels() {
  try {
    const list = await fetchModels();
    models.value = { list, loaded: true, trouble: "" };
    const { model, unanswered } = settings.value;
    if (!unanswered && !list.some((m) => m.id === model)) change({ model: list[0]?.id ?? "" });
  } catch (error) {
    models.value = { ...models.value, loaded: true, trouble: wordsOf(error).text };
  }
}

/** modelsAgain asks for the models where the service did not give them when it was last asked. */
export async function modelsAgain() {
  if (models.value.trouble) await loadModels();
}
