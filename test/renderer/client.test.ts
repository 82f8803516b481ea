import { expect, test } from 'vitest';
import { codeReader, pictureIn } from '../../renderer/client/codes.ts';
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

test('a browser that reads no codes says so, and one that cannot be asked is one of them', async () => {
  const broken = {
    BarcodeDetector: class {
      static getSupportedFormats = () => Promise.reject(new Error('not here'));
      detect = async () => [];
    },
  };
  expect([await codeReader({}), await codeReader(detector(['ean_13'], [])), await codeReader(broken)]).toEqual([
    null,
    null,
    null,
  ]);
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
