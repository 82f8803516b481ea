import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { viewArkadeBitcoin } from '../../engine/swap/directions/arkade-bitcoin.ts';
import { viewArkadeEvm } from '../../engine/swap/directions/arkade-evm.ts';
import { viewArkadeLightning } from '../../engine/swap/directions/arkade-lightning.ts';
import type { Event, Machine } from '../../engine/swap/machine.ts';
import { arkadeBitcoinCase } from './arkade-bitcoin-cases.ts';
import { arkadeEvmCase, evmSeen, lockIs, seenLock } from './arkade-evm-cases.ts';
import { arkadeLightningCase, coin, otherPoint, preimage, start, txid, type Telling } from './cases.ts';
import { claimedBy, height, lookAtHtlc, seenCoin } from './evm-bitcoin-cases.ts';
import { withEveryClock } from './pair-halves.ts';

/*
 * What was given stands although it had been called off: whatever coin of the client's lies there pays for it, with all
 * that it holds.
 */

interface Direction {
  readonly terms: { readonly sourceAmount: bigint };
  readonly machine: Machine<never, { readonly at: string }>;
  readonly first: object;
  readonly events: readonly Telling[];
  /** By what a copy of the database that is older than our part learns that its client has it. */
  readonly revealed: Event;
  record(p: never): object;
}

const facts = { id: 'swap', createdAt: start, status: 'serverredeemed', network: 'regtest' } as const;
const settled: Event = { is: 'payment.seen', state: { is: 'settled', preimage, feeMsat: 0n } };
const { terms: lightning } = arkadeLightningCase;

const directions: Readonly<Record<'lightning' | 'bitcoin' | 'evm', Direction>> = {
  lightning: {
    ...(arkadeLightningCase as object as Pick<Direction, 'terms' | 'machine' | 'first' | 'events'>),
    revealed: settled,
    record: (p) => viewArkadeLightning(facts, lightning, p),
  },
  bitcoin: {
    ...(arkadeBitcoinCase as object as Pick<Direction, 'terms' | 'machine' | 'first' | 'events'>),
    revealed: lookAtHtlc(seenCoin({ spend: claimedBy(height) })),
    record: (p) => viewArkadeBitcoin(facts, arkadeBitcoinCase.terms, p),
  },
  evm: {
    ...(arkadeEvmCase as object as Pick<Direction, 'terms' | 'machine' | 'first' | 'events'>),
    revealed: evmSeen([seenLock(lockIs.claimedDeep)]),
    record: (p) => viewArkadeEvm(facts, arkadeEvmCase.terms, p),
  },
};

/** The clocks under which the direction's own cases see the client's coin in time, and too late to give anything. */
function clocksOf({ events }: Direction, label: string) {
  const telling = events.find((one) => one.label === label);
  if (telling === undefined) throw new Error(label);
  return withEveryClock(telling.now);
}

const claimIsFinal: Event = { is: 'vhtlc.final', purpose: 'claim', txid: txid.claim };

function play(direction: Direction, ...events: readonly (readonly [Event, late?: 'late'])[]) {
  const { machine, terms, first } = direction;
  let progress = first as { readonly at: string };
  const ledger: object[] = [];
  for (const [event, late] of events) {
    const label = late === undefined ? 'vhtlc.seen exact' : 'vhtlc.seen exact, funding window over';
    const step = machine.step(terms as never, progress as never, event, clocksOf(direction, label));
    if (step === 'stay') throw new Error(`${event.is} changes nothing in ${progress.at}`);
    ({ progress } = step);
    ledger.push(...(step.ledger ?? []));
  }
  return { progress, ledger, record: direction.record(progress as never) };
}

const sign: Event = {
  is: 'vhtlc.prepared',
  purpose: 'claim',
  txid: txid.claim,
  output: { txid: txid.claim, vout: 0 },
};

function lookAt({ terms }: Direction, ...over: readonly bigint[]): Event {
  const coins = over.map((more, i) =>
    coin({ amount: sats(terms.sourceAmount + more), ...(i === 0 ? {} : { outpoint: otherPoint }) }),
  );
  return { is: 'vhtlc.seen', coins };
}

const surplus = { kind: 'surplus', network: 'arkade', asset: 'btc', amount: 500_000n };

test('fault 333, arkade: what a coin holds over the price is booked when its payment settles after all', () => {
  const { lightning: direction } = directions;
  const off: Event = { is: 'payment.refused', reason: 'no answer', unsure: true };
  const { progress, ledger, record } = play(
    direction,
    [lookAt(direction, 500n)],
    [off],
    [settled],
    [sign],
    [claimIsFinal],
  );
  expect(progress).toMatchObject({ at: 'claimed', surplus: 500n });
  expect(ledger).toContainEqual(expect.objectContaining(surplus));
  expect(record).toMatchObject({ surplus_amount: '500' });
});

test.each(['lightning', 'bitcoin', 'evm'] as const)(
  'fault 333, arkade: what a late coin holds over the price is booked, for ours on %s',
  (target) => {
    const direction = directions[target];
    const { progress, ledger, record } = play(
      direction,
      [lookAt(direction, 500n), 'late'],
      [direction.revealed],
      [sign],
      [claimIsFinal],
    );
    expect(progress).toMatchObject({ at: 'claimed', surplus: 500n });
    expect(ledger).toContainEqual(expect.objectContaining(surplus));
    expect(record).toMatchObject({ surplus_amount: '500' });
  },
);

test.each(['lightning', 'bitcoin', 'evm'] as const)(
  'fault 333, arkade: of two coins the larger pays, with all that it holds, for ours on %s',
  (target) => {
    const direction = directions[target];
    const { progress, ledger } = play(
      direction,
      [lookAt(direction, 0n, 500n), 'late'],
      [direction.revealed],
      [sign],
      [claimIsFinal],
    );
    expect(progress).toMatchObject({ at: 'claimed', coin: otherPoint, surplus: 500n });
    expect(ledger).toContainEqual(expect.objectContaining(surplus));
  },
);
