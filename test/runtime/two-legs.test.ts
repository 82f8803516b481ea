import { expect, test } from 'vitest';
import { btcOn, sats } from '../../engine/domain/money.ts';
import type { Txid } from '../../engine/domain/outpoint.ts';
import type { Leg } from '../../engine/legs/leg.ts';
import type { Runtime } from '../../engine/runtime/runtime.ts';
import type { AnyMachine } from '../../engine/runtime/working-set.ts';
import type { Store } from '../../engine/store/store.ts';
import type { Effect, Event } from '../../engine/swap/machine.ts';
import { arkadeBitcoin } from '../../engine/swap/directions/arkade-bitcoin.ts';
import { queueOf } from '../../engine/runtime/queue.ts';
import type { ServiceContext } from '../../engine/service/context.ts';
import { bump } from '../../engine/service/owner/swaps.ts';
import { openStore, swapRow } from '../store/support.ts';
import { testConfig } from '../support/node.ts';
import { runtimeOf } from '../support/runtime.ts';
import { coinPoint, start, txid } from '../swap/cases.ts';
import { bitcoinTx } from '../swap/evm-bitcoin-cases.ts';
import { arkadeBitcoinTerms } from '../swap/arkade-bitcoin-cases.ts';
import { claimIsFinal, fundingIsFinal, leavingBoth } from '../swap/two-chains-cases.ts';
import { memoryLog } from './support.ts';

const both = leavingBoth();

function runtimeOn(store: Store): Runtime {
  return runtimeOf({
    store,
    machines: [arkadeBitcoin as unknown as AnyMachine],
    ports: { arkade: null, lightning: null, bitcoin: null },
    wall: () => start,
    log: memoryLog().log,
    pollMs: 60_000,
    tipMs: 60_000,
    ceilings: () => testConfig().ceilings,
  });
}

function broadcast(leg: Leg, id: Txid): Effect {
  const common = { amount: sats(100_000), rate: 2, capped: false, since: 1 };
  return { do: 'onchain.broadcast', leg, txid: id, spends: leg === 'arkade' ? coinPoint : both.output, ...common };
}

/** Our claim of the coin that left the operator is on its way, and what funds ours, with the client's claim of that. */
function beginning() {
  const { store, db, folder } = openStore();
  const runtime = runtimeOn(store);
  const row = swapRow({
    machine: arkadeBitcoin.name,
    terms: arkadeBitcoinTerms,
    progress: both,
    status: 'clientredeemed',
  });
  const resend: Effect = { do: 'htlc.resend', coin: both.output, bytes: both.redeem.bytes };
  const effects = [broadcast('arkade', txid.claim), resend, broadcast('bitcoin', bitcoinTx.fund)];
  const { id } = runtime.commits.open(row.id, () => ({ row, effects })).row;
  for (const [leg, of, purpose] of [
    ['arkade', txid.claim, 'claim'],
    ['bitcoin', bitcoinTx.fund, 'fund'],
  ] as const)
    store.transactions.insert(
      { ...btcOn('bitcoin'), txid: of, subject: id, leg, purpose, bytes: Uint8Array.of(1), inputs: [] },
      1,
    );
  return { store, db, folder, runtime, id, hear: (event: Event) => runtime.commits.deliver(id, event) };
}

function owedTo(store: Store, id: string) {
  return {
    effects: store.effects.of(id).map(({ id: number, leg, effect }) => [number, leg, effect.do]),
    transactions: Object.fromEntries(store.transactions.of(id).map(({ leg, state }) => [leg, state])),
  };
}

const claim = [1, 'arkade', 'onchain.broadcast'];
const coin = [
  [2, 'bitcoin', 'htlc.resend'],
  [3, 'bitcoin', 'onchain.broadcast'],
];

test('a funding that is buried leaves the claim of the other leg as it is', () => {
  const { store, hear, id } = beginning();
  hear(fundingIsFinal);
  expect([store.swaps.byId(id)?.progress.at, owedTo(store, id)]).toEqual([
    'claiming',
    {
      effects: [claim, ...coin],
      transactions: { arkade: 'prepared', bitcoin: 'prepared' },
    },
  ]);
});

test('a claim that is buried drops what its own leg asked for, and a restart finds the other’s', () => {
  const { store, db, folder, hear, id } = beginning();
  hear(claimIsFinal);
  const left = {
    effects: coin,
    transactions: { arkade: 'dead', bitcoin: 'prepared' },
  };
  const before = [store.swaps.byId(id)?.progress.at, owedTo(store, id)];
  db.close();
  const again = openStore(folder).store;
  expect([before, [again.swaps.byId(id)?.progress.at, owedTo(again, id)]]).toEqual(Array(2).fill(['claimed', left]));
});

test('what a new transaction stands in the place of is one of its own leg', () => {
  const { store, id } = beginning();
  const standing = (leg: Leg) => store.transactions.standing({ subject: id, leg, network: 'bitcoin' });
  expect([standing('arkade'), standing('bitcoin'), standing('evm')]).toEqual([txid.claim, bitcoinTx.fund, null]);
});

test('who wants it mined sooner raises what either leg has on its way, and each takes the word for itself', () => {
  const { runtime, id } = beginning();
  expect(bump({ runtime } as ServiceContext, id)).toEqual({ at: 'claiming' });
  expect([...runtime.raises].sort()).toEqual(
    ['arkade', 'bitcoin'].map((leg) => queueOf({ subject: id, leg } as never)),
  );
});
