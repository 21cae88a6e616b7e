import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isAbort, wordsOf } from "../api/http";
import { getFile, sourceBoxes, sourceText, type Place } from "../api/service";
import type { BoxedPage, Citation, FileText } from "../api/types";
import { closeSource, source, step, type Source } from "../state/source";
import { place } from "../text/numbers";
import { Offsets } from "../text/offsets";
import { IconButton, Spinner, Trouble } from "../ui/controls";
import { placed, within } from "./boxes";
import { ImageView } from "./ImageView";
import { find, type Span } from "./lines";
import { PdfView, type Marks } from "./PdfView";
import { SearchBar } from "./SearchBar";
import { TextView } from "./TextView";

/** SourcePane shows the file that an answer rests on, at the passage. */
export function SourcePane(): JSX.Element | null {
  const s = source.value;
  return s ? <Pane key={s.file.key} source={s} /> : null;
}

interface Search {
  open: boolean;
  word: string;
  at: number;
}

function Pane({ source: s }: { source: Source }) {
  const { file, trouble } = useFile(s.file.at);
  const [zoom, setZoom] = useState(1);
  const [search, setSearch] = useState<Search>({ open: false, word: "", at: 0 });
  const pdf = file?.kind === "pdf";
  const citation = s.citations[s.at] ?? null;
  useEffect(() => {
    const open = () => setSearch((x) => ({ ...x, open: true }));
    addEventListener("inlay-search", open);
    return () => removeEventListener("inlay-search", open);
  }, []);
  return (
    <aside class="source" aria-label={`Source: ${s.file.name}`}>
      <header class="source-head">
        <div class="source-title">
          <h2>
            <bdi>{s.file.name}</bdi>
          </h2>
          {citation ? <Where citation={citation} /> : null}
        </div>
        {s.citations.length > 1 ? (
          <div class="source-steps">
            <IconButton icon="left" label="Previous passage ([)" onClick={() => step(-1)} />
            <span>
              {s.at + 1} / {s.citations.length}
            </span>
            <IconButton icon="right" label="Next passage (])" onClick={() => step(1)} />
          </div>
        ) : null}
        {pdf ? <Zoom zoom={zoom} onChange={setZoom} /> : null}
        <IconButton
          icon="search"
          label="Search in the source (/)"
          pressed={search.open}
          onClick={() => setSearch({ ...search, open: !search.open })}
        />
        <IconButton icon="close" label="Close the source" onClick={closeSource} />
      </header>
      {trouble ? <Gone text={trouble} citation={citation} /> : null}
      {!file && !trouble ? <Spinner label="Opening the source" /> : null}
      {file ? <Content file={file} source={s} zoom={zoom} search={search} onSearch={setSearch} /> : null}
    </aside>
  );
}

function Where({ citation: c }: { citation: Citation }) {
  return (
    <p class="muted" role="status">
      {place(c)}
      {c.heading ? ` · ${c.heading}` : ""}
      {c.affinity > 0 ? ` · affinity ${c.affinity.toFixed(2)}` : ""}
    </p>
  );
}

function Zoom({ zoom, onChange }: { zoom: number; onChange: (z: number) => void }) {
  const to = (z: number) => onChange(Math.min(4, Math.max(0.5, z)));
  return (
    <div class="zoom" role="group" aria-label="Zoom">
      <button type="button" aria-label="Zoom out" disabled={zoom <= 0.5} onClick={() => to(zoom / 1.25)}>
        −
      </button>
      <button type="button" aria-label={`${Math.round(zoom * 100)} %, fit the width`} onClick={() => onChange(1)}>
        {Math.round(zoom * 100)} %
      </button>
      <button type="button" aria-label="Zoom in" disabled={zoom >= 4} onClick={() => to(zoom * 1.25)}>
        +
      </button>
    </div>
  );
}

/** Gone shows what is left of a source whose file cannot be opened: the passage itself. */
function Gone({ text, citation }: { text: string; citation: Citation | null }) {
  return (
    <div class="source-body padded">
      <Trouble text={text} next={citation ? "This is the passage as it was given to the model." : ""} />
      {citation ? (
        <blockquote class="passage" dir="auto">
          {citation.text}
        </blockquote>
      ) : null}
    </div>
  );
}

/** What the service says of a source, before it is shown. */
interface Opened {
  kind: "pdf" | "image" | "text";
  text: FileText | null; // where it came with it
}

const pdfType = "application/pdf";

/** opened finds out what a source is. Of a library the text says it. */
async function opened(at: Place, signal: AbortSignal): Promise<Opened> {
  if ("id" in at) {
    const { image, media_type } = (await getFile(at.id, signal)).inlay;
    return { kind: image ? "image" : media_type === pdfType ? "pdf" : "text", text: null };
  }
  const text = await sourceText(at, signal);
  return { kind: text.media_type === pdfType ? "pdf" : "text", text };
}

function useFile(at: Place): { file: Opened | null; trouble: string } {
  const [state, setState] = useState<{ file: Opened | null; trouble: string }>({ file: null, trouble: "" });
  useEffect(() => {
    const control = new AbortController();
    opened(at, control.signal).then(
      (file) => setState({ file, trouble: "" }),
      (error: unknown) => isAbort(error) || setState({ file: null, trouble: wordsOf(error).text }),
    );
    return () => control.abort();
  }, []); // a pane has one file
  return state;
}

/** useText is the text that a file yields, once it is wanted. */
function useText(at: Place, known: FileText | null, wanted: boolean): { text: FileText | null; trouble: string } {
  const [state, setState] = useState<{ text: FileText | null; trouble: string }>({ text: known, trouble: "" });
  useEffect(() => {
    if (!wanted || state.text) return;
    const control = new AbortController();
    sourceText(at, control.signal).then(
      (text) => setState({ text, trouble: "" }),
      (error: unknown) => isAbort(error) || setState({ text: null, trouble: wordsOf(error).text }),
    );
    return () => control.abort();
  }, [wanted]);
  return state;
}

interface ContentProps {
  file: Opened;
  source: Source;
  zoom: number;
  search: Search;
  onSearch: (s: Search) => void;
}

function Content({ file, source: s, zoom, search, onSearch }: ContentProps) {
  const { at, name } = s.file;
  const [gone, setGone] = useState(""); // why a PDF cannot be shown as its pages: then its text is
  const image = file.kind === "image";
  const pdf = file.kind === "pdf" && !gone;
  const { text, trouble } = useText(at, file.text, (!pdf && !image) || search.open);
  const offsets = useMemo(() => (text ? new Offsets(text.text) : null), [text]);
  const hits = useMemo(
    () => (text && search.open && search.word.trim() ? find(text.text, search.word) : []),
    [text, search],
  );
  const bar = search.open ? (
    <SearchBar
      word={search.word}
      at={search.at}
      count={hits.length}
      waiting={!text && !trouble}
      onChange={(word) => onSearch({ open: true, word, at: 0 })}
      onStep={(by) => onSearch({ ...search, at: (search.at + by + hits.length) % Math.max(1, hits.length) })}
      onClose={() => onSearch({ ...search, open: false })}
    />
  ) : null;
  const hit = hits[search.at] ?? null;
  if (image) {
    return (
      <>
        {bar}
        <ImageView at={at} name={name} />
      </>
    );
  }
  return (
    <>
      {bar}
      {trouble ? <Trouble text={trouble} /> : null}
      {gone ? (
        <p class="source-note" role="status">
          {gone} This is the text that was read from it.
        </p>
      ) : null}
      {pdf ? (
        <PdfContent onGone={setGone} source={s} zoom={zoom} hit={hit} offsets={offsets} />
      ) : text && offsets ? (
        <TextContent text={text} offsets={offsets} source={s} hits={hits} hit={search.open ? search.at : -1} />
      ) : trouble ? null : (
        <Spinner label="Reading the source" />
      )}
    </>
  );
}

const tooLittle = "Less than half of this passage could be placed, so nothing is marked.";

interface PdfContentProps {
  onGone: (why: string) => void;
  source: Source;
  zoom: number;
  hit: Span | null;
  offsets: Offsets | null;
}

function PdfContent({ onGone, source: s, zoom, hit, offsets }: PdfContentProps) {
  const citation = s.citations[s.at] ?? null;
  const [marks, setMarks] = useState<Marks | null>(null);
  const [note, setNote] = useState("");
  const range = useRef({ start: 0, end: 0 });
  const start = hit && offsets ? offsets.byte(hit.start) : citation?.start;
  const end = hit && offsets ? offsets.byte(hit.end) : citation?.end;
  useEffect(() => {
    if (start === undefined || end === undefined) return;
    range.current = { start, end };
    const control = new AbortController();
    const key = `${s.opened}-${start}-${end}`;
    sourceBoxes(s.file.at, start, end, control.signal).then(
      (all) => {
        const pages = hit === null ? within(all, citation?.ranges ?? []) : all;
        const enough = hit !== null || placed(pages, citation?.text ?? "") >= 0.5;
        setMarks(marksOf(enough ? pages : [], citation, key));
        setNote(enough ? "" : tooLittle);
      },
      (error: unknown) => {
        if (isAbort(error)) return;
        setMarks(marksOf([], citation, key));
        setNote(tooLittle);
      },
    );
    return () => control.abort();
  }, [start, end, s.opened]);
  return (
    <div class="source-body">
      {note ? (
        <p class="source-note" role="status">
          {note}
        </p>
      ) : null}
      <PdfView file={s.file} marks={marks} zoom={zoom} onGone={onGone} />
    </div>
  );
}

function marksOf(pages: BoxedPage[], citation: Citation | null, key: string): Marks {
  const wanted = citation?.page;
  const shown = pages.find((p) => p.page === wanted) ?? pages[0];
  return { pages, page: shown?.page ?? wanted ?? 1, key };
}

/** passageOf is the text of a citation, by its place in the text of its file. */
function passageOf(citation: Citation, text: string, offsets: Offsets): string {
  const ranges = citation.ranges ?? [citation];
  return ranges.map((r) => text.slice(offsets.unit(r.start), offsets.unit(r.end))).join("");
}

interface TextContentProps {
  text: FileText;
  offsets: Offsets;
  source: Source;
  hits: Span[];
  hit: number;
}

function TextContent({ text, offsets, source: s, hits, hit }: TextContentProps) {
  const citation = s.citations[s.at] ?? null;
  const passage = citation ? { start: offsets.unit(citation.start), end: offsets.unit(citation.end) } : null;
  // The file may be another one than the passage was taken from.
  const same = citation !== null && passageOf(citation, text.text, offsets) === citation.text;
  return (
    <div class="source-body">
      {passage && !same ? (
        <p class="source-note" role="status">
          {tooLittle}
        </p>
      ) : null}
      <TextView
        text={text.text}
        passage={same ? passage : null}
        hits={hits}
        hit={hit}
        focus={`${s.opened}-${s.at}`}
        code={/x-|javascript|json|xml|yaml|x?sh|css|sql/.test(text.media_type)}
      />
    </div>
  );
}
