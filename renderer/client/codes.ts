import type { Picture } from './picture.ts';

/** Longer than any invoice, and nothing that would hold the page up. */
const longest = 4_096;

/** The platform's reader of codes (Shape Detection API); most browsers have it on some systems only. */
interface Detector {
  detect(picture: Picture): Promise<readonly { readonly rawValue: string }[]>;
}
interface DetectorClass {
  new (options: { formats: readonly string[] }): Detector;
  getSupportedFormats(): Promise<readonly string[]>;
}

export type ReadCode = (picture: Picture) => Promise<string | null>;

type AllTexts = (picture: Picture) => Promise<readonly string[]>;

/**
 * Reads the QR code of a picture, null where there is none. Where the browser reads no codes our own reader is fetched;
 * null itself where that does not come.
 */
export async function codeReader(
  platform: { readonly BarcodeDetector?: DetectorClass } = globalThis as { BarcodeDetector?: DetectorClass },
  fetchOwn: () => Promise<AllTexts> = async () => (await import('./own-codes.ts')).textsOfPicture,
): Promise<ReadCode | null> {
  const texts = (await byPlatform(platform)) ?? (await fetchOwn().catch(() => null));
  if (texts === null) return null;
  return async (picture) => {
    const text = (await texts(picture)).map((one) => one.trim()).find((one) => one !== '') ?? null;
    return text === null || text.length > longest ? null : text;
  };
}

async function byPlatform({
  BarcodeDetector: Reader,
}: {
  readonly BarcodeDetector?: DetectorClass;
}): Promise<AllTexts | null> {
  if (Reader === undefined) return null;
  try {
    if (!(await Reader.getSupportedFormats()).includes('qr_code')) return null;
    const detector = new Reader({ formats: ['qr_code'] });
    return async (picture) => (await detector.detect(picture)).map(({ rawValue }) => rawValue);
  } catch {
    return null; // It says that it is there, and cannot be made.
  }
}

/** The first picture among what was pasted or chosen. */
export function pictureIn(files: Iterable<File> | null | undefined): File | null {
  return [...(files ?? [])].find(({ type }) => type.startsWith('image/')) ?? null;
}
