// What the page uses of qrcode. The published types bring Node's with them, and the page must not have those.
export function create(
  text: string,
  options: { readonly errorCorrectionLevel: 'L' | 'M' | 'Q' | 'H' },
): { readonly modules: { readonly size: number; get(row: number, column: number): number } };
