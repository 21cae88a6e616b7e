// Documents that the tests make.
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** folder is a new one with files of these contents, by name. */
export async function folder(files) {
  const root = await mkdtemp(join(tmpdir(), "inlay-docs-"));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
  return root;
}

/** pdf is a document of pages with lines of Helvetica: [x, y, text], in points from the lower left. */
export function pdf(pages) {
  const objects = [];
  const add = (body) => objects.push(body);
  add("<< /Type /Catalog /Pages 2 0 R >>");
  add("");
  add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  const kids = [];
  for (const { lines, box = [0, 0, 612, 792], rotate = 0 } of pages) {
    const words = lines.map(
      ([x, y, text, size = 12]) => `BT /F1 ${size} Tf ${x} ${y} Td (${text.replace(/([()\\])/g, "\\$1")}) Tj ET`,
    );
    const stream = words.join("\n");
    add(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [${box.join(" ")}] /Rotate ${rotate} /Resources << /Font << /F1 3 0 R >> >> /Contents ${objects.length} 0 R >>`,
    );
    kids.push(`${objects.length} 0 R`);
  }
  objects[1] = `<< /Type /Pages /Count ${kids.length} /Kids [${kids.join(" ")}] >>`;
  return assembled(objects);
}

/** assembled is a file of objects, of which the first is the catalogue. */
function assembled(objects) {
  let out = "%PDF-1.4\n";
  const at = objects.map((body, i) => {
    const start = out.length;
    out += `${i + 1} 0 obj\n${body}\nendobj\n`;
    return start;
  });
  const xref = out.length;
  out += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  out += at.map((n) => `${String(n).padStart(10, "0")} 00000 n \n`).join("");
  out += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(out, "latin1");
}

const subjects = [
  "harbour",
  "workshop",
  "engine",
  "rudder",
  "anchor",
  "compass",
  "galley",
  "ledger",
  "lantern",
  "mooring",
];

/** One page about one thing, in some lines of plain English. */
function pageAbout(n, at = {}) {
  const what = `${subjects[n % subjects.length]} number ${n}`;
  const lines = [[72, 700, `Chapter ${n}: the ${what}`, 16]];
  for (let i = 0; i < 14; i++) {
    lines.push([
      72,
      660 - 18 * i,
      `Line ${i + 1} about the ${what}, which is checked every ${n + i} days by the crew.`,
    ]);
  }
  return { lines, ...at };
}

export const longPDF = (pages) => pdf(Array.from({ length: pages }, (_, i) => pageAbout(i + 1)));

/** Pages that viewers have to turn or cut. */
export const oddPDF = () => {
  const moved = pageAbout(2, { box: [100, 50, 712, 842] });
  moved.lines = moved.lines.map(([x, y, ...rest]) => [x + 100, y + 50, ...rest]);
  return pdf([pageAbout(1, { rotate: 90 }), moved, pageAbout(3, { rotate: 180 }), pageAbout(4, { rotate: 270 })]);
};

/** Two columns, whose lines stand beside each other. */
export const columnsPDF = () =>
  pdf([
    {
      lines: Array.from({ length: 24 }, (_, i) => [
        [60, 720 - 20 * i, `Left column ${i + 1} tells of tides and ropes.`, 10],
        [330, 720 - 20 * i, `Right column ${i + 1} tells of wages and leave.`, 10],
      ]).flat(),
    },
  ]);

/** A page in Japanese, in a font that it does not embed: viewers have to know the codes of Shift-JIS. */
export function japanesePDF() {
  // 契約期間は四週間です。 錨は二十四日ごとに点検します。 手当は毎月支払われます。
  const lines = [
    "8c5f96f18afa8ad482cd8e6c8f548ad482c582b78142",
    "956482cd93f18f5c8e6c93fa82b282c682c9935f8c9f82b582dc82b78142",
    "8ee8939682cd96888c8e8e7895a582ed82ea82dc82b78142",
  ];
  const stream = lines.map((hex, i) => `BT /F1 18 Tf 72 ${700 - 40 * i} Td <${hex}> Tj ET`).join("\n");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Font /Subtype /Type0 /BaseFont /MS-Mincho /Encoding /90ms-RKSJ-H /DescendantFonts [6 0 R] >>",
    "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /MS-Mincho /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /DW 1000 /FontDescriptor 7 0 R >>",
    "<< /Type /FontDescriptor /FontName /MS-Mincho /Flags 6 /FontBBox [0 -136 1000 859] /ItalicAngle 0 /Ascent 859 /Descent -140 /CapHeight 769 /StemV 78 >>",
  ];
  return assembled(objects);
}

/** A page that is a picture, a JPEG of this size in pixels, as scanners make it. */
export function scanPDF(jpeg, width, height) {
  const stream = `612 0 0 ${(612 * height) / width} 0 0 cm /Im1 Do`;
  return assembled([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 ${(612 * height) / width}] /Resources << /XObject << /Im1 5 0 R >> >> /Contents 4 0 R >>`,
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length ${jpeg.length} >>\nstream\n${jpeg.toString("latin1")}\nendstream`,
  ]);
}

export const arabic = `# دليل المرفأ

## الإجازات

لكل موظف ثلاثون يوما من الإجازة المدفوعة في السنة. تطلب الإجازة قبل أسبوعين على الأقل.

## إنهاء العمل

مدة الإشعار أربعة أسابيع حتى نهاية الشهر في السنتين الأوليين.
`;

export const chinese = `# 港口手册

## 休假

每位员工每年享有三十天带薪休假。休假须至少提前两周申请。

## 离职

前两年的通知期为四周，至月底为止。试用期内为两周。
`;

export const hostile = `# Notes <script>globalThis.stolen = 1</script>

<img src="x" onerror="globalThis.stolen = 1"> <a href="javascript:globalThis.stolen=1">press</a>

<iframe srcdoc="<script>parent.stolen = 1</script>"></iframe><svg onload="globalThis.stolen = 1"></svg>

The notice period is four weeks <b onmouseover="globalThis.stolen=1">exactly</b>. </textarea></pre></mark>
`;

export const hostileAnswer = `Four weeks [1] <script>globalThis.stolen = 1</script><img src=x onerror="globalThis.stolen=1">

[press](javascript:globalThis.stolen=1) ![beacon](https://evil.example/b.png) [7]

<form action="https://evil.example"><input name=a></form><style>body{display:none}</style>

\`\`\`html
<script>globalThis.stolen = 1</script>
\`\`\`
`;

export const table = `name,height,port\n${Array.from({ length: 400 }, (_, i) => `vessel ${i},${10 + i},port ${i % 7}`).join("\n")}\n`;

export const code = `package tide\n\n${Array.from({ length: 60 }, (_, i) => `// Rise${i} is the rise of hour ${i}.\nfunc Rise${i}() int { return ${i} }\n`).join("\n")}`;
