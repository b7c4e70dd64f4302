/** The longest side of an image that is sent, in pixels: models look at no more. */
const MAX_SIDE = 2048;

/** What a canvas can write again without losing what it shows: not an animation, not a drawing. */
const SCALABLE = /^image\/(?:png|jpeg|webp)$/;

/**
 * A large image made smaller, in its own format; anything else as it is. Where the browser cannot,
 * as it is too.
 */
export async function scaledDown(file: Blob): Promise<Blob> {
  if (!SCALABLE.test(file.type) || typeof createImageBitmap !== "function") return file;
  try {
    const bitmap = await createImageBitmap(file);
    try {
      const scale = MAX_SIDE / Math.max(bitmap.width, bitmap.height);
      return scale < 1 ? await draw(bitmap, scale, file.type) : file;
    } finally {
      bitmap.close();
    }
  } catch {
    return file; // no image after all, or no memory for it: the limits decide
  }
}

async function draw(bitmap: ImageBitmap, scale: number, type: string): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.88));
  if (!blob) throw new Error("nothing drawn");
  return blob;
}
