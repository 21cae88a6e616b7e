import type { PDFDocumentProxy } from "pdfjs-dist";
import { fileContent } from "../api/service";

/** Open documents, the last used last. */
const open = new Map<string, Promise<PDFDocumentProxy>>();
const most = 3;

/** openPDF is a file as pdf.js has it; a few stay open. */
export function openPDF(id: string): Promise<PDFDocumentProxy> {
  const known = open.get(id);
  if (known) {
    open.delete(id);
    open.set(id, known);
    return known;
  }
  const made = load(id);
  open.set(id, made);
  made.catch(() => open.delete(id));
  for (const [old, doc] of open) {
    if (open.size <= most) break;
    open.delete(old);
    void doc.then((d) => d.loadingTask.destroy());
  }
  return made;
}

async function load(id: string): Promise<PDFDocumentProxy> {
  const [pdfjs, blob] = await Promise.all([library(), fileContent(id)]);
  const task = pdfjs.getDocument({
    data: new Uint8Array(await blob.arrayBuffer()),
    wasmUrl: "/assets/wasm/",
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
