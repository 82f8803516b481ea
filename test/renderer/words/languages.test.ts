import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { board } from '../../../renderer/words/en/board.ts';
import { en } from '../../../renderer/words/en/catalogue.ts';
import { checklist } from '../../../renderer/words/en/checklist.ts';
import { between } from '../../../renderer/words/en/between.ts';
import { display } from '../../../renderer/words/en/display.ts';
import { labels } from '../../../renderer/words/en/labels.ts';
import { logs } from '../../../renderer/words/en/logs.ts';
import { prices } from '../../../renderer/words/en/prices.ts';
import { providers } from '../../../renderer/words/en/providers.ts';
import { restore } from '../../../renderer/words/en/restore.ts';
import { review } from '../../../renderer/words/en/review.ts';
import { sandbox } from '../../../renderer/words/en/sandbox.ts';
import { scan } from '../../../renderer/words/en/scan.ts';
import { de } from '../../../renderer/words/de/catalogue.ts';
import type { Catalogue } from '../../../renderer/words/every-sentence.ts';
import { over } from '../../../renderer/words/translation.ts';

const english: Catalogue = {
  ...en,
  between,
  board,
  checklist,
  display,
  labels,
  logs,
  prices,
  providers,
  restore,
  review,
  sandbox,
  scan,
};

/** Every sentence by its place; a function as a function. */
function sentencesOf(part: unknown, place = ''): readonly (readonly [string, unknown])[] {
  if (typeof part !== 'object' || part === null) return [[place, part]];
  return Object.entries(part).flatMap(([key, inner]) => sentencesOf(inner, place === '' ? key : `${place}.${key}`));
}

const sides = { give: '⟦give⟧', giveOn: '⟦giveOn⟧', get: '⟦get⟧', getOn: '⟦getOn⟧' };

/** What a sentence makes of each kind of thing that it may be given: a text, a number, sides of a swap, networks. */
function saidOf(sentence: unknown): readonly string[] {
  if (typeof sentence !== 'function') return [String(sentence)];
  const make = sentence as (...given: unknown[]) => unknown;
  const given: readonly (readonly unknown[])[] = [
    ['⟦a⟧', '⟦b⟧', '⟦c⟧', '⟦d⟧'],
    [7, 8, 9],
    [1, 1, 1],
    [0, 0, 0],
    ['', '⟦b⟧'],
    [sides, true],
    [sides, false],
    [['⟦a⟧', '⟦b⟧']],
    [['⟦a⟧']],
  ];
  return given.map((one) => {
    try {
      return String(make(...one));
    } catch {
      return 'not for this';
    }
  });
}

/** What it was given, as it is found again: in any order, each as often as it is there. */
function placeholders(text: string): readonly string[] {
  return (text.match(/⟦\w+⟧|\b[789]\b/g) ?? []).toSorted();
}

const places = new Map(sentencesOf(english));
const german = new Map(sentencesOf(de));

test('a translation has every sentence of the English one, and no other', () => {
  expect([...german.keys()].toSorted()).toEqual([...places.keys()].toSorted());
});

test('a translated sentence says everything that the English one was given', () => {
  const wrong = [...places].flatMap(([place, sentence]) => {
    const [ours, theirs] = [saidOf(sentence), saidOf(german.get(place))];
    return ours.flatMap((text, i) => {
      const other = theirs[i] ?? '';
      const same =
        (text === 'not for this') === (other === 'not for this') &&
        placeholders(text).join() === placeholders(other).join();
      return same ? [] : [[place, text, other]];
    });
  });
  expect(wrong).toEqual([]);
});

test('hardly a sentence of more than three words is left in English', () => {
  const left = [...places].filter(
    ([place, sentence]) =>
      typeof sentence === 'string' && sentence.split(' ').length > 3 && german.get(place) === sentence,
  );
  expect(left).toEqual([]);
});

test('a sentence that is missing in a translation is the English one', () => {
  const part = { a: 'one', b: { c: 'two', d: (n: number) => `${n} three` }, names: ['x', 'y'] };
  const both = over(part, { b: { c: 'zwei' }, names: ['u', 'v'] });
  expect([both.a, both.b.c, both.b.d(3), both.names]).toEqual(['one', 'zwei', '3 three', ['u', 'v']]);
});

test('a translation imports no code of the page, which comes after it', () => {
  const folder = join(import.meta.dirname, '../../../renderer/words/de');
  const foreign = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/^(?:import|export)\b(?! type)[^;]*?from '([^']+)'/gm)]
      .map((match) => match[1] ?? '')
      .filter((from) => !from.startsWith('./')),
  );
  expect(foreign).toEqual([]);
});
