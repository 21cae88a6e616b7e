/** Address of the PDF worker, set by build.mjs. */
declare const PDF_WORKER: string;
declare module "*.css";
