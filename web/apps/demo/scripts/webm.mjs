// A WebM file around the chunks of a video encoder: as much of Matroska as one silent track needs
// (RFC 9559, RFC 8794).

/**
 * The file. Each chunk is {at (ms), key, data}; the first is a key frame, and no 30 s are without
 * one.
 */
export function webm({ width, height, codec, duration, chunks }) {
  const tracks = element(
    0x1654ae6b,
    element(
      0xae,
      uint(0xd7, 1), // number
      uint(0x73c5, 1), // uid
      uint(0x9c, 0), // no lacing
      uint(0x83, 1), // video
      text(0x86, codec),
      element(0xe0, uint(0xb0, width), uint(0xba, height)),
    ),
  );
  const info = element(
    0x1549a966,
    uint(0x2ad7b1, 1_000_000), // a tick is a millisecond
    float(0x4489, duration),
    text(0x4d80, "pageside"),
    text(0x5741, "pageside"),
  );
  const clusters = clustersOf(chunks);
  // Where the clusters stand depends on the cues' size, which depends on nothing: positions have
  // eight bytes.
  let at = info.length + tracks.length + cuesOf(clusters, 0).length;
  const cues = cuesOf(clusters, at);
  const segment = element(0x18538067, info, tracks, cues, ...clusters.map(({ bytes }) => bytes));
  return Buffer.concat([header, segment]);
}

const header = element(
  0x1a45dfa3,
  uint(0x4286, 1),
  uint(0x42f7, 1),
  uint(0x42f2, 4),
  uint(0x42f3, 8),
  text(0x4282, "webm"),
  uint(0x4287, 4),
  uint(0x4285, 2),
);

/** A cluster begins with each key frame, so that players can jump to it. */
function clustersOf(chunks) {
  const groups = [];
  for (const chunk of chunks) {
    if (chunk.key) groups.push([]);
    groups.at(-1).push(chunk);
  }
  return groups.map((group) => {
    const { at } = group[0];
    return { at, bytes: element(0x1f43b675, uint(0xe7, at), ...group.map((chunk) => simpleBlock(chunk, at))) };
  });
}

function simpleBlock({ at, key, data }, start) {
  const head = Buffer.alloc(4);
  head[0] = 0x81; // track 1
  head.writeInt16BE(at - start, 1);
  head[3] = key ? 0x80 : 0;
  return element(0xa3, head, data);
}

function cuesOf(clusters, first) {
  let position = first;
  const points = clusters.map(({ at, bytes }) => {
    const where = Buffer.alloc(8);
    where.writeBigUInt64BE(BigInt(position));
    position += bytes.length;
    return element(0xbb, uint(0xb3, at), element(0xb7, uint(0xf7, 1), element(0xf1, where)));
  });
  return element(0x1c53bb6b, ...points);
}

function element(id, ...parts) {
  const content = Buffer.concat(parts);
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(content.length) | (1n << 56n));
  return Buffer.concat([number(id), size, content]);
}

function uint(id, value) {
  return element(id, number(value));
}

function float(id, value) {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return element(id, bytes);
}

function text(id, value) {
  return element(id, Buffer.from(value));
}

/** A number in as few bytes as it needs. */
function number(value) {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 ? `0${hex}` : hex, "hex");
}
