import { decodeQR } from 'qr/decode.js';
import type { Picture } from './picture.ts';

/** Pixels of a side beyond which a picture is made smaller: a code that fills a tenth of it is still read. */
const mostSide = 2_000;
/** For tries beyond the first one, while which the page stands still. */
const patienceMs = 100;

/** Red, green, blue and opacity of each pixel, a byte each. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

/** What the QR code says that is in a picture; nothing where none is. */
export function textsOfPixels({ width, height, data }: Pixels): readonly string[] {
  try {
    return [decodeQR({ width, height, data }, { format: 'RGBA', timeLimit: patienceMs })];
  } catch {
    return [];
  }
}

/** The same of whatever the browser can draw. */
export async function textsOfPicture(picture: Picture): Promise<readonly string[]> {
  const pixels = pixelsOf(picture);
  return pixels === null ? [] : textsOfPixels(pixels);
}

/** Null while a camera has no frame. */
function pixelsOf(picture: Picture): Pixels | null {
  const [width, height] =
    'videoWidth' in picture ? [picture.videoWidth, picture.videoHeight] : [picture.width, picture.height];
  if (width === 0 || height === 0) return null;
  const scale = Math.min(1, mostSide / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const drawn = canvas.getContext('2d', { willReadFrequently: true });
  if (drawn === null) return null;
  // A picture with a clear background would be black on black.
  drawn.fillStyle = 'white';
  drawn.fillRect(0, 0, canvas.width, canvas.height);
  drawn.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return drawn.getImageData(0, 0, canvas.width, canvas.height);
}
