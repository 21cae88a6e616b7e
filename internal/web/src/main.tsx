import { render } from "preact";
import { App } from "./app";
import { adopt } from "./state/files";
import { beginForecast } from "./state/forecast";
import { beginLab } from "./state/lab";
import { beginRouting } from "./state/route";
import { session } from "./state/session";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/chats.css";
import "./styles/libraries.css";
import "./styles/talk.css";
import "./styles/composer.css";
import "./styles/source.css";
import "./styles/lab.css";

const files = session.begin();
beginRouting();
beginForecast();
beginLab();

for (const id of files) adopt(id).catch(() => undefined); // deleted meanwhile: nothing to ask of

const root = document.getElementById("app");
if (root) render(<App />, root);
