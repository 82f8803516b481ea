import { describe, expect, test } from 'vitest';
import type { TakerDirection } from '../../engine/domain/chain.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { clocksAt, start } from '../swap/cases.ts';
import { afterLoss, type Lost, type Sides } from '../swap/outboxes.ts';
import { everyCase } from './every-case.ts';

/** The leg that a client funds comes first in the name of a direction, and the one that it claims second. */
function sidesOf(direction: string): Sides {
  const [fund, claim] = direction.split('-');
  return { fund, claim } as Sides;
}

interface Wide {
  readonly at: string;
  readonly by?: 'provider' | 'node';
  readonly sent?: string | null;
  readonly joint?: true;
  readonly target?: {
    readonly by?: 'provider' | 'node';
    readonly claimTxid?: string | null;
    readonly spends?: readonly string[];
    readonly halted?: true;
  };
}

/** What may have waited in an outbox and is nothing to who lost it. */
function isNothing(what: string, { progress }: Lost): boolean {
  const { at, by, sent, joint, target } = progress as Wide;
  switch (what) {
    // Asked for again, by itself or of the provider, as soon as the coin is seen to lie there.
    case 'refund on arkade':
    case 'provider.cosign':
      return at !== 'refunding' && at !== (what === 'provider.cosign' ? 'asking' : '');
    // Unsigned, the provider claims by its script.
    case 'provider.sign-claim':
      return true;
    // Signed anew with the provider, while the height has not come.
    case 'refund on bitcoin':
      return joint === true;
    // Given up with the secret still ours, on the chain already, or asked of the provider alone.
    case 'claim on evm':
      return at !== 'claiming' || typeof target?.claimTxid === 'string' || target?.by === 'provider';
    // Our own transaction is enough.
    case 'provider.claim-evm':
      return at !== 'claiming' || typeof target?.claimTxid === 'string' || target?.by === 'node';
    // One signature, whoever sends it; signed by our account, that has it.
    case 'provider.fund-evm':
      return by === 'node';
    case 'fund on evm':
      return by === 'provider' || typeof sent === 'string';
    default:
      return false;
  }
}

/** It was made again and is not to be had, or it was too late to send it. */
function refusals(txid: string): readonly Event[] {
  const reason = 'refused';
  return [
    { is: 'vhtlc.refused', purpose: 'claim', txid: null, why: 'unrolled', reason },
    { is: 'vhtlc.refused', purpose: 'claim', txid, why: 'late', reason },
    { is: 'onchain.refused', leg: 'bitcoin', txid, why: 'late', reason },
  ];
}

const calledSpent = { spent: true, spentIn: 'ff'.repeat(32), spend: 'unknown', unrolled: true } as const;

const directions = Object.keys(everyCase) as TakerDirection[];

describe.each(directions)('take-%s', (direction) => {
  const lost = afterLoss(everyCase[direction], sidesOf(direction));

  test('whatever may have waited in the outbox is owed by the state alone', () => {
    const missing = lost.flatMap((one) =>
      [...one.outbox]
        .filter((what) => !one.orders.has(what) && !isNothing(what, one))
        .map((what) => `${one.name}: ${what}`),
    );
    expect([...new Set(missing)]).toEqual([]);
  });

  test('nothing is owed that the swap never asked for, but once more what was called spent', () => {
    const extra = lost
      .filter(({ progress }) => !('halted' in progress) && (progress as Wide).target?.halted === undefined)
      .flatMap(({ name, orders, outbox }) =>
        [...orders].filter((what) => !outbox.has(what)).map((what) => `${name}: ${what}`),
      );
    expect([...new Set(extra)]).toEqual([]);
  });

  test('the state stays what it is: its name, its status, what is open of it, and what a bundle holds', () => {
    for (const { before, after } of lost) expect(after).toEqual(before);
  });

  // Each of the others has a claim that is sent otherwise.
  test('fault 311, arkade: a claim that was signed and never sent is none once its node is lost', () => {
    const { machine, terms, events } = everyCase[direction];
    const unsent = lost.filter(({ progress }) => {
      const p = progress as Parameters<typeof machine.step>[1];
      const { claimTxid } = (progress as Wide).target ?? {};
      return typeof claimTxid === 'string' && machine.rescue?.(terms, p)?.byNote === true;
    });
    const unasked = unsent.flatMap(({ progress }) => {
      const p = progress as Parameters<typeof machine.step>[1];
      const resumed = machine.resume?.(terms, p, clocksAt(start), false).progress ?? p;
      return events.flatMap(({ event, now }) => {
        if (event.is !== 'vhtlc.seen') return [];
        // Called spent by what nobody shows, while it lies on the chain.
        const coins = event.coins.map((coin) => ({ ...coin, ...calledSpent }));
        const step = machine.step(terms, resumed, { ...event, coins }, now);
        return step === 'stay' ? [] : step.effects.map((effect) => effect.do);
      });
    });
    expect([unsent.length > 0, unasked.includes('vhtlc.exit')]).toEqual([direction.endsWith('-arkade'), false]);
  });

  test('a claim whose secret may be out: no refusal makes it ours again', () => {
    const { machine, terms } = everyCase[direction];
    const ends = lost.flatMap(({ progress }) => {
      const { at, target } = progress as Wide;
      const txid = target?.claimTxid ?? target?.spends?.at(-1) ?? null;
      if (at !== 'claiming' || txid === null) return [];
      const p = progress as Parameters<typeof machine.step>[1];
      const resumed = machine.resume?.(terms, p, clocksAt(start), true).progress ?? p;
      return refusals(txid).map((event) => {
        const step = machine.step(terms, resumed, event, clocksAt(start));
        return step === 'stay' ? at : step.progress.at;
      });
    });
    expect([...new Set(ends)].filter((at) => at !== 'claiming')).toEqual([]);
  });
});
