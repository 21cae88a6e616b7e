// What a page of a PDF looks like, by its pixels.

/**
 * pixelsOf compares a page with its marks, and without them, with boxes: the share of their area that is
 * marked, the share of the rest that is, and the share of boxes with ink in them.
 */
export async function pixelsOf(tab, element, page) {
  const picture = async () => (await element.screenshot()).toString("base64");
  const image = await picture();
  const show = (visibility) =>
    element.evaluate((page, v) => {
      for (const o of page.querySelectorAll(".overlay")) o.style.visibility = v;
    }, visibility);
  await show("hidden");
  const bare = await picture();
  await show("");
  const helper = await tab.context.newPage();
  try {
    return await helper.evaluate(compare, { image, bare, page });
  } finally {
    await helper.close();
  }
}

async function compare({ image, bare, page }) {
  const pixels = async (png) => {
    const picture = new Image();
    picture.src = `data:image/png;base64,${png}`;
    await picture.decode();
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext("2d");
    context.drawImage(picture, 0, 0);
    return context.getImageData(0, 0, picture.width, picture.height);
  };
  const { data, width, height } = await pixels(image);
  const { data: before } = await pixels(bare);
  // A mark takes blue from whatever is below it; pages have yellow of their own.
  const marked = (i) => before[i + 2] - data[i + 2] > 20;
  const dark = (i) => before[i] + before[i + 1] < 240 || before[i + 2] < 60;

  const w = page.x1 - page.x0;
  const h = page.y1 - page.y0;
  const turn = {
    0: (x, y) => [x / w, 1 - y / h],
    90: (x, y) => [y / h, x / w],
    180: (x, y) => [1 - x / w, y / h],
    270: (x, y) => [1 - y / h, 1 - x / w],
  }[page.rotate];
  const rects = page.boxes.map((b) => {
    const [ax, ay] = turn(b.x0 - page.x0, b.y0 - page.y0);
    const [bx, by] = turn(b.x1 - page.x0, b.y1 - page.y0);
    return {
      x0: Math.min(ax, bx) * width,
      x1: Math.max(ax, bx) * width,
      y0: Math.min(ay, by) * height,
      y1: Math.max(ay, by) * height,
    };
  });

  const kind = new Uint8Array(width * height); // 1: in a box, 2: near one
  const paint = (r, by, value) => {
    for (let y = Math.max(0, Math.floor(r.y0 - by)); y < Math.min(height, r.y1 + by); y++) {
      for (let x = Math.max(0, Math.floor(r.x0 - by)); x < Math.min(width, r.x1 + by); x++)
        kind[y * width + x] ||= value;
    }
  };
  const gap = Math.max(...rects.map((r) => Math.min(r.y1 - r.y0, r.x1 - r.x0))) * 2.6;
  for (const r of rects) paint({ x0: r.x0 + 1, x1: r.x1 - 1, y0: r.y0 + 1, y1: r.y1 - 1 }, 0, 1);
  for (const r of rects) paint(r, gap, 2); // between the words of a line the mark goes on

  let inside = 0;
  let boxed = 0;
  let outside = 0;
  let rest = 0;
  for (let p = 0; p < kind.length; p++) {
    if (kind[p] === 1 && !dark(4 * p)) {
      boxed++;
      if (marked(4 * p)) inside++;
    } else if (kind[p] === 0) {
      rest++;
      if (marked(4 * p)) outside++;
    }
  }
  const inked = rects.filter((r) => {
    for (let y = Math.max(0, Math.floor(r.y0)); y < Math.min(height, r.y1); y++) {
      for (let x = Math.max(0, Math.floor(r.x0)); x < Math.min(width, r.x1); x++) {
        const i = 4 * (y * width + x);
        if (before[i] + before[i + 1] < 380) return true;
      }
    }
    return false;
  }).length;
  return {
    inside: boxed ? inside / boxed : 0,
    outside: rest ? outside / rest : 0,
    inked: rects.length ? inked / rects.length : 0,
  };
}
