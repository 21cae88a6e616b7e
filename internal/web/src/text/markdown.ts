import DOMPurify from "dompurify";
import MarkdownIt, { type StateInline } from "markdown-it";

/** Names of the sources that [n] may refer to. */
type Sources = Map<number, string>;

const sourcesOf = (env: unknown): Sources =>
  typeof env === "object" && env !== null && "sources" in env && env.sources instanceof Map ? env.sources : new Map();

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false, breaks: false });

// What a model writes may not load anything: its pictures are links.
markdown.disable("image");
markdown.inline.ruler.before("escape", "math", math);
markdown.inline.ruler.before("link", "citation", citation);
for (const tag of ["th_open", "td_open"]) {
  markdown.renderer.rules[tag] = (tokens, index, options, _env, self) => {
    const token = tokens[index];
    const align = /text-align:(\w+)/.exec(String(token?.attrGet("style") ?? ""))?.[1];
    if (token) token.attrs = align ? [["class", `align-${align}`]] : null;
    return self.renderToken(tokens, index, options);
  };
}
markdown.renderer.rules["link_open"] = (tokens, index, options, _env, self) => {
  tokens[index]?.attrSet("target", "_blank");
  tokens[index]?.attrSet("rel", "noopener noreferrer");
  return self.renderToken(tokens, index, options);
};
markdown.renderer.rules["fence"] = (tokens, index) => {
  const token = tokens[index];
  const language = token?.info.trim().split(/\s+/)[0] ?? "";
  const label = language ? `<span class="code-language">${escape(language)}</span>` : "";
  return `<div class="code">${label}<button type="button" class="copy-code">Copy</button><pre><code>${escape(token?.content ?? "")}</code></pre></div>`;
};
markdown.renderer.rules["math"] = (tokens, index) =>
  `<code class="math">${escape(tokens[index]?.content ?? "")}</code>`;
markdown.renderer.rules["citation"] = (tokens, index, _options, env) => {
  const n = Number(tokens[index]?.content ?? 0);
  const source = escape(sourcesOf(env).get(n) ?? "");
  return `<button type="button" class="cite" data-source="${n}" aria-label="Source ${n}: ${source}" title="${source}">${n}</button>`;
};

const escape = (text: string) => markdown.utils.escapeHtml(text);

/** math leaves $...$ and \(...\) as they are: what stands between is no Markdown. */
function math(state: StateInline, silent: boolean): boolean {
  const rest = state.src.slice(state.pos);
  const match = /^(?:\$\$[^$]+\$\$|\$(?![\s\d])[^$\n]*[^\s$]\$(?!\d)|\\\([^\n]+?\\\)|\\\[[^\n]+?\\\])/.exec(rest);
  if (!match) return false;
  if (!silent) state.push("math", "", 0).content = match[0];
  state.pos += match[0].length;
  return true;
}

/** citation makes a mark of [3], or several of [1, 3], where there are such sources. */
function citation(state: StateInline, silent: boolean): boolean {
  const sources = sourcesOf(state.env);
  const match = /^\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\](?!\()/.exec(state.src.slice(state.pos, state.pos + 40));
  if (!match?.[1]) return false;
  const numbers = match[1].split(",").map(Number);
  if (!numbers.every((n) => sources.has(n))) return false;
  if (!silent) state.pending = state.pending.replace(/ $/, "\u00a0"); // a mark stays with the words before it
  if (!silent) for (const n of numbers) state.push("citation", "", 0).content = String(n);
  state.pos += match[0].length;
  return true;
}

/** render makes safe HTML of what a model wrote. */
export function render(text: string, sources: Sources): string {
  return DOMPurify.sanitize(markdown.render(text, { sources }), {
    ALLOWED_TAGS: [
      "p",
      "br",
      "hr",
      "h1",
      "h2",
      "h3",
      "h4",
      "h5",
      "h6",
      "ul",
      "ol",
      "li",
      "blockquote",
      "pre",
      "code",
      "em",
      "strong",
      "s",
      "a",
      "table",
      "thead",
      "tbody",
      "tr",
      "th",
      "td",
      "button",
      "div",
      "span",
    ],
    ALLOWED_ATTR: ["href", "target", "rel", "class", "type", "title", "aria-label", "data-source", "start"],
    ALLOW_DATA_ATTR: false,
  });
}
