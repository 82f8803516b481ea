import { wordlist } from '@scure/bip39/wordlists/english.js';
import { randomInt } from 'node:crypto';
import type { CheckedWord } from '../preload/setup.ts';
import { newEntropy, wordsOf } from './seed.ts';

/** Words that wait in memory to be read back and locked; nothing of them is on the disk. */
export interface Draft {
  readonly entropy: Uint8Array;
  readonly count: 12 | 24;
  readonly from: 'made' | 'restored';
  /** Places, from 1, that the owner reads back from paper. */
  readonly check: readonly number[];
  readonly verified: boolean;
}

const checkedPlaces = 3;

export function makeDraft(count: 12 | 24): Draft {
  const places = new Set<number>();
  while (places.size < checkedPlaces) places.add(1 + randomInt(count));
  return {
    entropy: newEntropy(count),
    count,
    from: 'made',
    check: [...places].sort((a, b) => a - b),
    verified: false,
  };
}

/** Words that were typed are on paper already. */
export function restoredDraft(entropy: Uint8Array): Draft {
  return { entropy, count: entropy.length === 16 ? 12 : 24, from: 'restored', check: [], verified: true };
}

/** What each of the words is, and the draft, verified once every place of its check was right at the same time. */
export function checkWords(
  draft: Draft,
  typed: readonly { readonly place: number; readonly word: string }[],
): { readonly draft: Draft; readonly words: readonly CheckedWord[] } {
  const own = wordsOf(draft.entropy).split(' ');
  const words = typed.map(({ place, word }): CheckedWord => {
    const plain = word.normalize('NFKD').trim().toLowerCase();
    if (!wordlist.includes(plain)) return { place, is: 'unlisted', near: nearWords(plain) };
    return { place, is: own[place - 1] === plain ? 'right' : 'wrong', near: [] };
  });
  const right = new Set(words.filter((word) => word.is === 'right').map((word) => word.place));
  return { draft: { ...draft, verified: draft.verified || draft.check.every((place) => right.has(place)) }, words };
}

/** Words of the list within two slips of the pen, the nearest first, three at most. */
export function nearWords(word: string): string[] {
  return wordlist
    .map((listed) => ({ listed, slips: slipsBetween(word, listed), other: listed[0] === word[0] ? 0 : 1 }))
    .filter(({ slips }) => slips <= 2)
    .sort((a, b) => a.slips - b.slips || a.other - b.other)
    .slice(0, 3)
    .map(({ listed }) => listed);
}

/** Letters added, left out, replaced or exchanged with the next, between two words. */
function slipsBetween(one: string, other: string): number {
  // Longer than any word of the list is far from all, and costs nothing to say so.
  if (Math.abs(one.length - other.length) > 2) return Infinity;
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  const slips = (i: number, j: number) => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= one.length; i++) {
    rows[i] = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = slips(i - 1, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const crossed = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const exchanged = crossed ? slips(i - 2, j - 2) + 1 : Infinity;
      rows[i]?.push(Math.min(slips(i - 1, j) + 1, slips(i, j - 1) + 1, replaced, exchanged));
    }
  }
  return slips(one.length, other.length);
}
