import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { BoxedPage } from "../api/types";
import { isAbort, ServiceError, wordsOf } from "../api/http";
import type { Source } from "../state/source";
import { Spinner, Trouble } from "../ui/controls";
import { linesOf } from "./boxes";
import { library, openPDF } from "./pdf";

export interface Marks {
  pages: BoxedPage[];
  page: number; // to show
  key: string; // of what is marked: another one scrolls
}

interface Props {
  file: Source["file"];
  marks: Marks | null;
  zoom: number; // 1 fits the width
  onGone: (why: string) => void; // its bytes are not there any more
}

/** PdfView shows a PDF, of which only the pages near the view are drawn. */
export function PdfView({ file, marks, zoom, onGone }: Props): JSX.Element {
  const [doc, setDoc] = useState<PDFDocumentProxy | null>(null);
  const [trouble, setTrouble] = useState("");
  const ref = useRef<HTMLDivElement>(null);
  const width = useWidth(ref);
  const first = useFirstPage(doc);
  useEffect(() => {
    let gone = false;
    setDoc(null);
    setTrouble("");
    openPDF(file).then(
      (d) => !gone && setDoc(d),
      (error: unknown) => {
        if (gone || isAbort(error)) return;
        if (error instanceof ServiceError && error.status === 404) onGone(error.message);
        else setTrouble(wordsOf(error).text);
      },
    );
    return () => {
      gone = true;
    };
  }, [file.key]);
  const ready = doc && first && width > 0;
  useScrollTo(ref, marks, Boolean(ready), zoom);
  return (
    <div class="pdf" ref={ref} tabIndex={0} role="region" aria-label="Pages">
      <Trouble text={trouble} next="Its text can be read by the service all the same: ask." />
      {!ready && !trouble ? <Spinner label="Opening the document" /> : null}
      {ready
        ? Array.from({ length: doc.numPages }, (_, i) => (
            <PdfPage
              key={`${file.key}-${i}`}
              doc={doc}
              number={i + 1}
              width={Math.max(200, (width - 32) * zoom)}
              ratio={first}
              marks={marks?.pages.find((p) => p.page === i + 1) ?? null}
            />
          ))
        : null}
    </div>
  );
}

function useWidth(ref: { current: HTMLDivElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const box = ref.current;
    if (!box) return;
    const observer = new ResizeObserver(() => setWidth(box.clientWidth));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** The shape of the first page is taken for the others until they are near. */
function useFirstPage(doc: PDFDocumentProxy | null): number {
  const [ratio, setRatio] = useState(0);
  useEffect(() => {
    let gone = false;
    setRatio(0);
    void doc?.getPage(1).then((page) => {
      const v = page.getViewport({ scale: 1 });
      if (!gone) setRatio(v.height / v.width);
    });
    return () => {
      gone = true;
    };
  }, [doc]);
  return ratio;
}

/** useScrollTo brings what is marked into view: the page at once, and the mark when it is there. */
function useScrollTo(ref: { current: HTMLDivElement | null }, marks: Marks | null, ready: boolean, zoom: number) {
  useEffect(() => {
    const box = ref.current;
    if (!box || !marks || !ready) return;
    const page = box.querySelector<HTMLElement>(`[data-page="${marks.page}"]`);
    if (!page) return;
    box.scrollTop = page.offsetTop - 16;
    let tries = 60;
    const settle = () => {
      const mark = page.querySelector<HTMLElement>(".mark");
      if (mark) box.scrollTop = Math.max(0, page.offsetTop + mark.offsetTop - box.clientHeight / 3);
      else if (marks.pages.length > 0 && tries-- > 0) frame = requestAnimationFrame(settle);
    };
    let frame = requestAnimationFrame(settle);
    return () => cancelAnimationFrame(frame);
  }, [marks?.key, ready, zoom]);
}

interface PageProps {
  doc: PDFDocumentProxy;
  number: number;
  width: number;
  ratio: number;
  marks: BoxedPage | null;
}

function PdfPage({ doc, number, width, ratio, marks }: PageProps) {
  const ref = useRef<HTMLDivElement>(null);
  const near = useNear(ref);
  const [page, setPage] = useState<PDFPageProxy | null>(null);
  const wanted = near || marks !== null;
  useEffect(() => {
    let gone = false;
    if (!wanted || page) return;
    void doc.getPage(number).then((p) => !gone && setPage(p));
    return () => {
      gone = true;
    };
  }, [wanted, doc, number]);
  const own = page?.getViewport({ scale: 1 });
  const height = width * (own ? own.height / own.width : ratio);
  return (
    <div ref={ref} class="page" data-page={number} style={{ width: `${width}px`, height: `${height}px` }}>
      {page && near ? <Drawing page={page} width={width} /> : null}
      {page && marks ? <Overlay page={page} marks={marks} /> : null}
      <span class="page-number">{number}</span>
    </div>
  );
}

/** useNear is whether an element is in view, or almost. */
function useNear(ref: { current: HTMLDivElement | null }): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new IntersectionObserver((entries) => setNear(entries.at(-1)?.isIntersecting ?? false), {
      root: element.parentElement,
      rootMargin: "500px 0px",
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return near;
}

/** Drawing is a page as pdf.js draws it, with its text over it to be selected. */
function Drawing({ page, width }: { page: PDFPageProxy; width: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const text = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState(false);
  useEffect(() => {
    const target = canvas.current;
    const layer = text.current;
    if (!target || !layer) return;
    const scale = width / page.getViewport({ scale: 1 }).width;
    const viewport = page.getViewport({ scale: scale * Math.min(2, devicePixelRatio) });
    // Drawn aside, so that zooming shows the old drawing until the new one is there.
    const aside = document.createElement("canvas");
    aside.width = Math.floor(viewport.width);
    aside.height = Math.floor(viewport.height);
    const task = page.render({ canvas: aside, viewport });
    let gone = false;
    setDrawn(false);
    const done = () => {
      if (gone) return;
      target.width = aside.width;
      target.height = aside.height;
      target.getContext("2d")?.drawImage(aside, 0, 0);
      aside.width = aside.height = 0;
      setDrawn(true);
    };
    task.promise.then(done, () => undefined); // it was cancelled, or cannot be drawn
    void drawText(page, layer, scale, () => gone);
    return () => {
      gone = true;
      task.cancel();
      aside.width = aside.height = 0;
    };
  }, [page, width]);
  useEffect(
    () => () => {
      if (canvas.current) canvas.current.width = canvas.current.height = 0;
      page.cleanup();
    },
    [page],
  );
  return (
    <>
      <canvas ref={canvas} data-drawn={drawn} aria-hidden="true" />
      <div ref={text} class="textLayer" />
    </>
  );
}

async function drawText(page: PDFPageProxy, layer: HTMLDivElement, scale: number, gone: () => boolean) {
  const [{ TextLayer }, content] = await Promise.all([library(), page.getTextContent()]);
  if (gone()) return;
  layer.replaceChildren();
  layer.style.setProperty("--total-scale-factor", String(scale));
  await new TextLayer({ textContentSource: content, container: layer, viewport: page.getViewport({ scale }) }).render();
}

/** Overlay marks places on a page, in shares of its size. */
function Overlay({ page, marks }: { page: PDFPageProxy; marks: BoxedPage }) {
  const viewport = page.getViewport({ scale: 1 });
  return (
    <div class="overlay" aria-hidden="true">
      {linesOf(marks.boxes).map((r, i) => {
        const [ax = 0, ay = 0] = viewport.convertToViewportPoint(r.x0, r.y0) as number[];
        const [bx = 0, by = 0] = viewport.convertToViewportPoint(r.x1, r.y1) as number[];
        return <div key={i} class="mark" style={shareOf(ax, ay, bx, by, viewport)} />;
      })}
    </div>
  );
}

function shareOf(ax: number, ay: number, bx: number, by: number, v: { width: number; height: number }) {
  const share = (n: number, whole: number) => `${(100 * n) / whole}%`;
  return {
    left: share(Math.min(ax, bx), v.width),
    top: share(Math.min(ay, by), v.height),
    width: share(Math.abs(ax - bx), v.width),
    height: share(Math.abs(ay - by), v.height),
  };
}
