/**
 * Places in texts of the service are bytes of UTF-8; strings here count UTF-16
 * units. Marks are kept at every so many units, so that a place in a long text
 * is found without walking all of it.
 */
export class Offsets {
  private readonly marks: number[] = [];
  private readonly ascii: boolean;

  constructor(private readonly text: string) {
    let size = 0;
    for (let i = 0; i < text.length; i++) {
      if (i % step === 0) this.marks.push(size);
      size += width(text, i);
    }
    this.ascii = size === text.length;
  }

  /** unit is the place in the string of a place in bytes. */
  unit(byte: number): number {
    if (this.ascii) return Math.min(byte, this.text.length);
    let low = 0;
    let high = this.marks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.marks[middle] ?? 0) <= byte) low = middle;
      else high = middle - 1;
    }
    let at = this.marks[low] ?? 0;
    let i = low * step;
    while (i < this.text.length && at < byte) at += width(this.text, i++);
    return i;
  }

  /** byte is the place in bytes of a place in the string. */
  byte(unit: number): number {
    if (this.ascii) return unit;
    const mark = Math.min(Math.floor(unit / step), Math.max(0, this.marks.length - 1));
    let at = this.marks[mark] ?? 0;
    for (let i = mark * step; i < unit && i < this.text.length; i++) at += width(this.text, i);
    return at;
  }
}

const step = 1024;

/** width is how many bytes a unit adds; the second half of a pair adds those of the pair. */
function width(text: string, i: number): number {
  const code = text.charCodeAt(i);
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  if (code >= 0xd800 && code < 0xdc00) return 0;
  return code >= 0xdc00 && code < 0xe000 ? 4 : 3;
}
