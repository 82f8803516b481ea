import { create } from 'qrcode';
import { expect, test } from 'vitest';
import { codeReader, pictureIn } from '../../renderer/client/codes.ts';
import { textsOfPixels } from '../../renderer/client/own-codes.ts';
import { withoutLink } from '../../renderer/format/link.ts';
import { recognise } from '../../renderer/pages/swap/destination.ts';

const picture = {} as ImageBitmap;

function detector(formats: readonly string[], codes: readonly string[]) {
  return {
    BarcodeDetector: class {
      static getSupportedFormats = async () => formats;
      detect = async () => codes.map((rawValue) => ({ rawValue }));
    },
  };
}

async function textOf(codes: readonly string[]): Promise<string | null | undefined> {
  const read = await codeReader(detector(['qr_code'], codes));
  return read?.(picture);
}

test('our own reader is fetched for a browser that reads no codes, or that cannot be asked, and no other', async () => {
  const broken = {
    BarcodeDetector: class {
      static getSupportedFormats = () => Promise.reject(new Error('not here'));
      detect = async () => [];
    },
  };
  let fetched = 0;
  const own = async () => {
    fetched += 1;
    return async () => ['ours'];
  };
  for (const platform of [{}, detector(['ean_13'], []), broken])
    expect(await (await codeReader(platform, own))?.(picture)).toBe('ours');
  expect(await (await codeReader(detector(['qr_code'], ['theirs']), own))?.(picture)).toBe('theirs');
  expect(fetched).toBe(3);
  expect(await codeReader({}, () => Promise.reject(new Error('the node is away')))).toBeNull();
});

/** What a wallet shows, with its quiet zone, on a wide picture. */
function drawn(text: string, pixelsOfModule: number) {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const side = (modules.size + 8) * pixelsOfModule;
  const [width, height] = [side + 200, side];
  const data = new Uint8ClampedArray(4 * width * height).fill(255);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const [column, row] = [x, y].map((at) => Math.floor(at / pixelsOfModule) - 4) as [number, number];
      const inside = [column, row].every((at) => at >= 0 && at < modules.size);
      if (inside && modules.get(row, column) !== 0) data.fill(0, 4 * (y * width + x), 4 * (y * width + x) + 3);
    }
  return { width, height, data };
}

test.each([
  ['an address', `bitcoin:bcrt1q${'q'.repeat(38)}?amount=0.00250000`],
  ['an invoice, in capitals', `LNBC2500U1${'PVJLUEZ'.repeat(60)}`],
  ['an Arkade address', `tark1${'qz9'.repeat(36)}`],
])('our own reader reads what a wallet shows: %s', (_, text) => {
  expect([2, 5].map((size) => textsOfPixels(drawn(text, size)))).toEqual([[text], [text]]);
});

test('our own reader sees nothing where there is nothing, and no more than the picture has', () => {
  const { width, height, data } = drawn('x', 3);
  expect([
    textsOfPixels({ width: 300, height: 200, data: new Uint8ClampedArray(240_000).fill(255) }),
    textsOfPixels({ width: 1, height: 1, data: new Uint8ClampedArray(4) }),
    textsOfPixels({ width, height: height + 1, data }),
  ]).toEqual([[], [], []]);
});

test('the first code that says something is read, and none that is longer than any invoice', async () => {
  expect([await textOf([' ', ' lnbc1x ', 'other']), await textOf([]), await textOf(['x'.repeat(4_097)])]).toEqual([
    'lnbc1x',
    null,
    null,
  ]);
});

test('of what was pasted the first picture counts, and nothing else', () => {
  const files = [new File(['a'], 'a.txt', { type: 'text/plain' }), new File(['b'], 'b.png', { type: 'image/png' })];
  expect([pictureIn(files)?.name, pictureIn([]), pictureIn(null)]).toEqual(['b.png', null, null]);
});

test('a payment link is read by its address, whatever follows it', () => {
  const address = `bcrt1q${'q'.repeat(38)}`;
  expect([
    recognise(`BITCOIN:${address}?amount=0.001&label=x`, 'regtest'),
    withoutLink(`bitcoin:${address}?amount=1`),
    withoutLink('lightning:lnbc1x'),
    withoutLink(' plain?text '),
  ]).toEqual([{ is: 'bitcoin', network: 'bitcoin', text: address }, address, 'lnbc1x', 'plain?text']);
});
