import { describe, expect, test } from 'vitest';
import { takerMachine, type TakerDirection } from '../../engine/domain/chain.ts';
import type { Entry } from '../../engine/runtime/working-set.ts';
import { takerSwapOf } from '../../engine/service/taker/view.ts';
import type { TakerProgress } from '../../engine/taker/terms.ts';
import { start } from '../swap/cases.ts';
import { evmClocksAt } from '../swap/evm-lightning-cases.ts';
import { explore } from '../swap/explore.ts';
import { everyCase, type AnyCase } from './every-case.ts';

/* What the owner's list names of the transactions that this node signed for a swap of its own. */

const now = evmClocksAt(start + 60);
const cases = (Object.entries(everyCase) as [TakerDirection, AnyCase][]).map(
  ([name, one]) => [name, one, explore(one).states] as const,
);

function named(name: TakerDirection, { terms, machine }: AnyCase, progress: TakerProgress, isTaken: boolean) {
  const row = {
    id: 'a',
    machine: takerMachine(name),
    createdAt: start,
    updatedAt: start,
    version: 1,
    status: machine.status(progress),
    open: true,
    flag: null,
    userId: null,
    valueSats: 100_000n,
    terms,
    progress,
  };
  const swap = takerSwapOf({ row, machine } as unknown as Entry, {
    now,
    journal: [],
    ownWallet: 'cannot',
    isTaken: () => isTaken,
  });
  return (swap?.transactions ?? []).map(({ txid }) => txid);
}

/** What is known by our signature alone while we are still at it. */
function signedIn(name: TakerDirection, progress: TakerProgress): readonly string[] {
  const p = progress as TakerProgress & {
    sent?: string | null;
    claimTxid?: string | null;
    refundTxid?: string | null;
    spends?: readonly string[];
  };
  // Into Arkade the claim is over once the operator has it; elsewhere `claimTxid` is what the chain showed.
  if (p.at === 'claiming' && name.endsWith('-arkade')) return p.claimTxid ? [p.claimTxid] : [];
  if (p.at === 'funding') return p.sent ? [p.sent] : [];
  if (p.at === 'refunding') return [p.sent ?? p.refundTxid ?? ''].filter((txid) => txid !== '');
  return p.at === 'claiming' && p.claimTxid === null
    ? [p.sent ?? p.spends?.at(-1) ?? ''].filter((one) => one !== '')
    : [];
}

describe.each(cases)('the own swap %s', (name, one, progresses) => {
  test('fault 79, evm: names nothing of ours that is signed and that no network has', () => {
    const states = progresses.map((progress) => ({
      signed: signedIn(name, progress),
      before: named(name, one, progress, false),
      after: named(name, one, progress, true),
    }));
    const wrong = states.filter(({ signed, before, after }) =>
      signed.some((txid) => before.includes(txid) || !after.includes(txid)),
    );
    expect(wrong).toEqual([]);
    // What was seen is named whoever asks.
    expect(states.some(({ before }) => before.length > 0)).toBe(true);
  });
});

test('fault 79, evm: a signed funding, claim and refund are met in those states', () => {
  const met = cases.filter(([name, , states]) => states.some((progress) => signedIn(name, progress).length > 0));
  expect(met.map(([name]) => name)).toEqual(
    expect.arrayContaining(['arkade-lightning', 'arkade-evm', 'evm-lightning', 'evm-bitcoin']),
  );
});
