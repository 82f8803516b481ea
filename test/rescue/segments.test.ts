import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { newWriter, openSegments, sealFile, sealSegment, type End } from '../../engine/rescue/segments.ts';
import { seedOf } from '../support/node.ts';

const keys = createKeys(seedOf(1), 'regtest').sealingKey;
const texts = ['all', 'first change', 'second change', 'third change'] as const;

/** A file to which segments were appended: each of them, and where it begins. */
function fileOf(of: readonly string[] = texts, writer = newWriter()) {
  const [whole = '', ...changes] = of;
  const first = sealFile(whole, { network: 'regtest', writer, rewriting: 1 }, keys);
  let end: End = first.end;
  const parts = [Buffer.from(first.bytes)];
  for (const text of changes) {
    const sealed = sealSegment(text, end, keys);
    parts.push(Buffer.from(sealed.bytes));
    ({ end } = sealed);
  }
  const starts = parts.map((_, i) => parts.slice(0, i).reduce((sum, { length }) => sum + length, 0));
  return { head: end.head, parts, starts, bytes: Buffer.concat(parts), end };
}

const open = (bytes: Uint8Array) => openSegments('it', bytes, 'regtest', keys);

function sentenceOf(bytes: Uint8Array): string {
  const opened = open(bytes);
  if (!isRefusal(opened)) throw new Error(`it opened: ${opened.texts.join(', ')}`);
  return opened.sentence;
}

/** The bodies of a file as lines behind a header, with sums that anybody can make for them. */
function forged(head: string, bodies: readonly string[]): Buffer {
  const lines = bodies.map((body) => {
    const sum = createHash('sha256').update(`${head}\n${body}`).digest('hex').slice(0, 16);
    return `${body} ${sum}\n`;
  });
  return Buffer.from(`${head}\n${lines.join('')}`);
}

const bodiesOf = (bytes: Buffer) =>
  bytes
    .toString()
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split(' ')[0] ?? '');

test('segments are read in their order, and the file is as long as its end says', () => {
  const { bytes, end } = fileOf();
  expect(open(bytes)).toEqual({ texts, lost: 0 });
  expect([end.size, end.position]).toEqual([bytes.length, 4]);
});

test('a file that is cut off at any byte has every segment before that, and says what it lost', () => {
  const { bytes, starts } = fileOf();
  for (let length = starts[1] ?? 0; length < bytes.length; length++) {
    const whole = [...starts, bytes.length].filter((at) => at <= length);
    expect(open(bytes.subarray(0, length)), `${length} bytes`).toEqual({
      texts: texts.slice(0, whole.length - 1),
      lost: length - (whole.at(-1) ?? 0),
    });
  }
  for (let length = 0; length < (starts[1] ?? 0); length++)
    expect(sentenceOf(bytes.subarray(0, length))).toMatch(/damaged|was cut off/);
});

test('a segment that a power cut left full of zeros, or of something else, is one that was cut off', () => {
  const { bytes, starts } = fileOf();
  const at = starts[3] ?? 0;
  for (const fill of [0, 0x20, 0x0a, 0x41]) {
    const torn = Buffer.from(bytes).fill(fill, at + 10);
    expect(open(torn)).toEqual({ texts: texts.slice(0, 3), lost: bytes.length - at });
  }
});

test('one bit that changed before the last segment is told as damage, whichever it is, and where to cut', () => {
  const { bytes, starts } = fileOf();
  for (const [i, start] of starts.entries())
    for (let at = start; i < 3 && at < (starts[i + 1] ?? 0); at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 4;
      const sentence = sentenceOf(changed);
      if (i === 0) expect(sentence, `byte ${at}`).toMatch(/damaged|no rescue bundle|newer|not read any more/);
      else {
        expect(sentence, `byte ${at}`).toMatch(new RegExp(`damaged in the middle.* first ${start} bytes`));
        expect(open(changed.subarray(0, start))).toEqual({ texts: texts.slice(0, i), lost: 0 });
      }
    }
});

test('the last segment with one bit changed is lost, and that is said', () => {
  const { bytes, starts } = fileOf();
  for (let at = starts[3] ?? 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 4;
    expect(open(changed)).toEqual({ texts: texts.slice(0, 3), lost: bytes.length - (starts[3] ?? 0) });
  }
});

test('a segment that was left out, moved, repeated or changed is noticed, whatever sums it was given', () => {
  const { head, bytes } = fileOf();
  const [a = '', b = '', c = '', d = ''] = bodiesOf(bytes);
  expect(open(forged(head, [a, b, c, d]))).toEqual({ texts, lost: 0 });
  const other = fileOf(['all', 'first change']);
  const again = sealFile('all', { network: 'regtest', writer: newWriter(), rewriting: 1 }, keys);
  for (const bodies of [
    [a, c, d],
    [b, c, d],
    [a, c, b, d],
    [a, b, b, c, d],
    [a, b, c, d, d],
    [a, a, b, c, d],
    [a, bodiesOf(other.bytes)[1] ?? ''],
    [bodiesOf(Buffer.from(again.bytes))[0] ?? '', b],
    [a, b, `${c.slice(0, 30)}${c[30] === 'A' ? 'B' : 'A'}${c.slice(31)}`, d],
    [a, 'AAAA'],
  ])
    expect(sentenceOf(forged(head, bodies))).toMatch(/changed without the seed/);
});

test('a segment of an earlier rewriting of the same file does not fit in a later one', () => {
  const writer = newWriter();
  const [one, other] = [1, 2].map((rewriting) => sealFile('all', { network: 'regtest', writer, rewriting }, keys));
  if (one === undefined || other === undefined) throw new Error('two files');
  const change = sealSegment('a change', one.end, keys).bytes;
  expect(open(Buffer.concat([one.bytes, change]))).toEqual({ texts: ['all', 'a change'], lost: 0 });
  const body = Buffer.from(change).toString().split(' ')[0] ?? '';
  const bodies = [...bodiesOf(Buffer.from(other.bytes)), body];
  expect(sentenceOf(forged(other.end.head, bodies))).toMatch(/changed without the seed/);
});

test('no two segments of the same text are alike', () => {
  const { end } = fileOf();
  const [one, other] = [sealSegment('it', end, keys), sealSegment('it', end, keys)];
  expect(Buffer.from(one.bytes).equals(other.bytes)).toBe(false);
});

test('a file of lines that are no segments takes no more than its length to refuse', () => {
  const { head } = fileOf();
  const begun = performance.now();
  expect(sentenceOf(Buffer.from(`${head}\n${'\n'.repeat(2_000_000)}`))).toMatch(/damaged/);
  expect(sentenceOf(Buffer.from(`${head}\n${'a '.repeat(1_000_000)}`))).toMatch(/damaged/);
  expect(performance.now() - begun).toBeLessThan(5_000);
});
