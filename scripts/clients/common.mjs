// What the scripts share: node SCRIPT BASE_URL FOLDER CHAT_MODEL CALLER_MODEL OTHER_MODEL. Each
// feature that works is a line "ok FEATURE"; the first that does not ends the script.
import fs from "node:fs";
import path from "node:path";

const [baseURL, folder, chat, caller, other] = process.argv.slice(2);
export { baseURL, folder, chat, caller, other };
export const apiKey = process.env.INLAY_KEY ?? "any";
export const scripted = process.env.INLAY_SCRIPTED === "1"; // the model can be told what to say
export const handbook = path.join(folder, "handbook.md");
export const notes = fs.readFileSync(path.join(folder, "notes.md"), "utf8");
export const question = "How long is the notice period?";
export const answer = "The answer stands in passage [1].";
export const inlay = { mode: "retrieval", retrieval_limit: 2 };
export const picture = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

const seen = [];
export const ok = (feature) => {
  seen.push(feature);
  console.log("ok " + feature);
};
// shown prints what came back, shortened: the transcript.
export const shown = (what, value) => console.log(`   ${what}: ${(typeof value === "string" ? value : JSON.stringify(value)).slice(0, 300)}`);
