import { render } from "preact";
import { App } from "./app";
import { beginForecast } from "./state/forecast";
import { beginLab } from "./state/lab";
import { beginRouting } from "./state/route";
import { session } from "./state/session";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/talk.css";
import "./styles/source.css";
import "./styles/lab.css";

session.begin();
beginRouting();
beginForecast();
beginLab();

const root = document.getElementById("app");
if (root) render(<App />, root);
