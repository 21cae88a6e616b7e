import type { PDFDocumentProxy } from "pdfjs-dist";
import { sourceContent } from "../api/service";
import type { Source } from "../state/source";

/** Open documents, the last used last. */
const open = new Map<string, Promise<PDFDocumentProxy>>();
const most = 3;

/** openPDF is a file as pdf.js has it; a few stay open. */
export function openPDF(file: Source["file"]): Promise<PDFDocumentProxy> {
  const known = open.get(file.key);
  if (known) {
    open.delete(file.key);
    open.set(file.key, known);
    return known;
  }
  const made = load(file);
  open.set(file.key, made);
  made.catch(() => open.delete(file.key));
  for (const [old, doc] of open) {
    if (open.size <= most) break;
    open.delete(old);
    void doc.then((d) => d.loadingTask.destroy());
  }
  return made;
}

async function load(file: Source["file"]): Promise<PDFDocumentProxy> {
  const [pdfjs, blob] = await Promise.all([library(), sourceContent(file.at)]);
  const task = pdfjs.getDocument({
    data: new Uint8Array(await blob.arrayBuffer()),
    wasmUrl: "/assets/wasm/",
    cMapUrl: "/assets/cmaps/",
    cMapPacked: true,
    standardFontDataUrl: "/assets/fonts/",
    useSystemFonts: true,
    stopAtErrors: false,
    enableXfa: false,
  });
  return task.promise;
}

/** library is pdf.js, fetched with the first PDF. */
export async function library() {
  const pdfjs = await import("pdfjs-dist");
  pdfjs.GlobalWorkerOptions.workerSrc = PDF_WORKER;
  return pdfjs;
}
