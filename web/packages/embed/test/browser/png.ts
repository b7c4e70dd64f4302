import { inflateSync } from "node:zlib";

export interface Picture {
  width: number;
  height: number;
  /** Bytes of each line, without the filter byte. */
  pixels: Buffer;
}

/** The 8-bit pictures that Chromium writes, as far as comparing them needs it. */
export const PNG = {
  read(file: Buffer): Picture {
    const width = file.readUInt32BE(16);
    const height = file.readUInt32BE(20);
    const channels = file[25] === 6 ? 4 : 3;
    const parts: Buffer[] = [];
    for (let at = 8; at < file.length;) {
      const length = file.readUInt32BE(at);
      if (file.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(file.subarray(at + 8, at + 8 + length));
      at += length + 12;
    }
    return { width, height, pixels: unfilter(inflateSync(Buffer.concat(parts)), width * channels, height, channels) };
  },

  /** How many bytes differ. */
  difference(a: Picture, b: Picture): number {
    if (a.width !== b.width || a.height !== b.height || a.pixels.length !== b.pixels.length) return Infinity;
    let count = 0;
    for (let at = 0; at < a.pixels.length; at++) if (a.pixels[at] !== b.pixels[at]) count++;
    return count;
  },
};

/** PNG specification, section 9: each line is stored as the difference from its neighbours. */
function unfilter(raw: Buffer, stride: number, height: number, channels: number): Buffer {
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)]!;
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? out[y * stride + x - channels]! : 0;
      const up = y > 0 ? out[(y - 1) * stride + x]! : 0;
      const corner = y > 0 && x >= channels ? out[(y - 1) * stride + x - channels]! : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!;
      out[y * stride + x] = (raw[y * (stride + 1) + 1 + x]! + guess) & 255;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
