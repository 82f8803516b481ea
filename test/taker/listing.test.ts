import { describe, expect, test } from 'vitest';
import { takerMachine, type TakerDirection } from '../../engine/domain/chain.ts';
import { toHex } from '../../engine/domain/hex.ts';
import type { Machine } from '../../engine/swap/machine.ts';
import { takenDirections } from '../../engine/taker/directions.ts';
import { listingOf, searchOf } from '../../engine/taker/listing.ts';
import type { OrderTerms, TakerProgress } from '../../engine/taker/terms.ts';
import { start } from '../swap/cases.ts';
import { explore } from '../swap/explore.ts';
import { everyCase, type AnyCase } from './every-case.ts';
import { evmClocksAt } from '../swap/evm-lightning-cases.ts';

interface Places {
  readonly bolt11?: string;
  readonly targetAddress?: string;
  readonly destination?: Uint8Array;
}

const now = evmClocksAt(start + 60);

describe.each(Object.entries(everyCase) as [TakerDirection, AnyCase][])('%s', (name, one) => {
  const direction = takenDirections[name];
  const machine: Machine<OrderTerms, TakerProgress> = one.machine;
  const { states } = explore(one);

  function isFound(progress: TakerProgress, text: string): boolean {
    const search = searchOf(text);
    const { words } = listingOf(direction, one.terms, progress, now);
    return words.some((word) => search !== null && (word.startsWith(search.beginning) || word === search.amount));
  }

  test('all that its owner is shown of it is found, in every state', () => {
    const missed = states.flatMap((progress) => {
      const { pay, give, get, transactions } = direction.facts(one.terms, progress, now);
      const texts = [
        ...(pay === null ? [] : [pay.text]),
        ...transactions.map(({ txid }) => txid),
        ...[give, get].map(({ amount }) => `${amount}`),
        ...[give, get].flatMap(({ sats }) => (sats === null ? [] : [sats.toLocaleString('en-US')])),
        progress.deal?.swapId ?? '',
      ];
      return texts.filter((text) => text !== '' && !isFound(progress, text)).map((text) => `${progress.at}: ${text}`);
    });
    expect(missed).toEqual([]);
  });

  test('it is found by where it pays, and by its hash', () => {
    const { bolt11, targetAddress, destination } = one.terms as OrderTerms & Places;
    const places = [bolt11, targetAddress, destination, one.terms.hash].filter((place) => place !== undefined);
    expect(
      places.filter(
        (place) => !isFound(one.first, typeof place === 'string' ? place.toUpperCase() : `0x${toHex(place)}`),
      ),
    ).toEqual([]);
  });

  test('what is not watched any more has an end', () => {
    const endless = states.filter(
      (progress) =>
        !machine.open(one.terms, progress) && listingOf(direction, one.terms, progress, now).outcome === null,
    );
    expect([machine.name, endless]).toEqual([takerMachine(name), []]);
  });
});

test('a text is looked up as people copy it', () => {
  expect(
    [' LIGHTNING:LNBC1X ', '0xAB', '50,000', '0.0500', '12 000 000', '1,5', 'a'.repeat(200), '  '].map(searchOf),
  ).toEqual([
    { beginning: 'lnbc1x', amount: null },
    { beginning: 'ab', amount: null },
    { beginning: '50,000', amount: '=50000' },
    { beginning: '0.0500', amount: '=0.05' },
    { beginning: '12 000 000', amount: '=12000000' },
    { beginning: '1,5', amount: null },
    { beginning: 'a'.repeat(96), amount: null },
    null,
  ]);
});
