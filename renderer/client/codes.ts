/** Longer than any invoice, and nothing that would hold the page up. */
const longest = 4_096;

/** What a picture is to a detector. */
export type Picture = ImageBitmap | HTMLVideoElement;

/** The platform's reader of codes (Shape Detection API); most browsers have it on some systems only. */
interface Detector {
  detect(picture: Picture): Promise<readonly { readonly rawValue: string }[]>;
}
interface DetectorClass {
  new (options: { formats: readonly string[] }): Detector;
  getSupportedFormats(): Promise<readonly string[]>;
}

export type ReadCode = (picture: Picture) => Promise<string | null>;

/** Reads the QR code of a picture, null where there is none; null itself where this browser reads no codes. */
export async function codeReader(
  platform: { readonly BarcodeDetector?: DetectorClass } = globalThis as { BarcodeDetector?: DetectorClass },
): Promise<ReadCode | null> {
  const { BarcodeDetector: Reader } = platform;
  if (Reader === undefined) return null;
  try {
    if (!(await Reader.getSupportedFormats()).includes('qr_code')) return null;
    const detector = new Reader({ formats: ['qr_code'] });
    return async (picture) => {
      const codes = await detector.detect(picture);
      const text = codes.map(({ rawValue }) => rawValue.trim()).find((one) => one !== '') ?? null;
      return text === null || text.length > longest ? null : text;
    };
  } catch {
    return null; // It says that it is there, and cannot be made.
  }
}

/** The first picture among what was pasted or chosen. */
export function pictureIn(files: Iterable<File> | null | undefined): File | null {
  return [...(files ?? [])].find(({ type }) => type.startsWith('image/')) ?? null;
}
