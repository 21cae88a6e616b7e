/** parseCSV reads rows of fields, with quotes as RFC 4180 has them. */
export function parseCSV(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = "";
  let quoted = false;
  const end = () => {
    row.push(field);
    field = "";
  };
  const input = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  for (let i = 0; i < input.length; i++) {
    const c = input.charAt(i);
    if (quoted) {
      if (c !== '"') field += c;
      else if (input.charAt(i + 1) === '"') {
        field += '"';
        i++;
      } else quoted = false;
    } else if (c === '"' && field === "") quoted = true;
    else if (c === ",") end();
    else if (c === "\n") {
      end();
      rows.push(row);
      row = [];
    } else field += c;
  }
  if (field !== "" || row.length > 0) {
    end();
    rows.push(row);
  }
  return rows.filter((r) => r.some((f) => f.trim() !== ""));
}

export interface Asked {
  id?: string;
  question: string;
  kind?: string;
  expected: { file?: string; quote?: string; page?: number }[];
}

/** questionsOf reads the questions of an evaluation; several rows of one question are several places that answer it. */
export function questionsOf(text: string): Asked[] {
  const [head, ...rows] = parseCSV(text);
  const columns = (head ?? []).map((h) => h.trim().toLowerCase());
  if (!columns.includes("question")) throw new Error("The first row names no column “question”.");
  const byQuestion = new Map<string, Asked>();
  for (const row of rows) {
    const get = (name: string) => (row[columns.indexOf(name)] ?? "").trim();
    const question = get("question");
    if (!question) continue;
    const one = byQuestion.get(get("id") || question) ?? start(get);
    byQuestion.set(get("id") || question, one);
    const page = Number(get("page"));
    if (!get("file") && !get("quote")) continue;
    one.expected.push({
      ...(get("file") ? { file: get("file") } : {}),
      ...(get("quote") ? { quote: get("quote") } : {}),
      ...(page > 0 ? { page } : {}),
    });
  }
  if (byQuestion.size === 0) throw new Error("There is no question below the first row.");
  return [...byQuestion.values()];
}

function start(get: (name: string) => string): Asked {
  const asked: Asked = { question: get("question"), expected: [] };
  if (get("id")) asked.id = get("id");
  if (get("kind")) asked.kind = get("kind");
  return asked;
}
