import { Transaction } from '@scure/btc-signer';
import { expect, test } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import { swapKey } from '../../engine/legs/evm/swap-key.ts';
import type { HoldState } from '../../engine/legs/lightning/port.ts';
import { stopLine } from '../../engine/legs/lightning/timelocks.ts';
import type { OnlyIf } from '../../engine/legs/only-if.ts';
import { NotYet } from '../../engine/runtime/not-yet.ts';
import { stillWanted } from '../../engine/runtime/networks/still-wanted.ts';
import type { Ports } from '../../engine/runtime/ports.ts';
import { bitcoinArkadeTerms, fundPoint } from '../swap/bitcoin-arkade-cases.ts';
import { clocksAt, lightningArkadeTerms, startHeight, unread } from '../swap/cases.ts';
import { evmArkadeTerms } from '../swap/evm-arkade-cases.ts';
import { evmClocksAt, network } from '../swap/evm-lightning-cases.ts';
import { noClaims } from './support.ts';

/*
 * A VHTLC of ours that the operator says to have half, long after it was begun, for each condition that one is made
 * for: finished while the client's leg is there and surely ours, asked again while nobody shows it, else never.
 */

async function fate(onlyIf: OnlyIf, ports: object, now: Clocks): Promise<string> {
  const context = { ports: ports as Ports, clock: { now: () => now }, ...noClaims };
  return stillWanted(onlyIf, context).then(
    () => 'finished',
    (cause: unknown) => (cause instanceof NotYet ? 'asked again' : (cause as { code: string }).code),
  );
}

const evm = evmArkadeTerms;
const htlc = asEvmAddress(new Uint8Array(20).fill(9));
const escrow: OnlyIf = {
  notAfter: evm.lockBefore,
  escrow: {
    ...{
      network,
      htlc,
      lock: { ...evm.lock, amount: 100_000n },
      txid: 'aa'.repeat(32),
      confirmations: 2,
      agreed: true,
    },
    ...{ value: evm.sourceAmount, htlcRefundLocktime: evm.vhtlc.refundLocktime, policy: evm.policy },
  },
};

function onEvm(at: number, { active = true, mined = true, disagreement = null as string | null } = {}) {
  const lock = escrow.escrow?.lock;
  if (lock === undefined) throw new Error('there is no lock');
  const events = [{ htlc, key: swapKey(lock), what: { is: 'created' } }];
  const port = {
    receipt: async () => (mined ? { ok: true, height: 5, events } : null),
    isActive: async () => active,
    tip: async () => ({ height: 1_000 }),
    disagreement: () => disagreement,
    rpcs: () => [],
  };
  return fate(escrow, { [network]: port, bitcoin: { disagreement: () => null } }, evmClocksAt(at));
}

test('fault 328, evm: for a lock', async () => {
  const [opens, ends] = [evm.vhtlc.refundLocktime, Number(evm.lock.timelock)];
  const last = ends - evm.policy.mtpLag - evm.policy.margin + 2;
  expect([
    await onEvm(opens - 60),
    await onEvm(opens + 3_600),
    await onEvm(last),
    await onEvm(last + 1),
    await onEvm(ends + 60, { active: false }),
    await onEvm(opens, { active: false }),
    await onEvm(opens, { mined: false }),
    await onEvm(opens, { disagreement: 'They differ.' }),
  ]).toEqual([
    ...['finished', 'finished', 'finished'],
    ...['lock-unpaid', 'lock-unpaid'],
    ...['asked again', 'asked again', 'asked again'],
  ]);
});

const coin = bitcoinArkadeTerms;
const funded: OnlyIf = {
  notAfter: coin.lockBefore,
  funded: {
    ...{ script: coin.htlcScript, outpoint: fundPoint, sourceAmount: coin.sourceAmount, confirmations: 1 },
    ...{ refundLocktime: coin.htlc.refundLocktime, lockRefundLocktime: coin.vhtlc.refundLocktime, policy: coin.policy },
  },
};
const made = new Transaction({ allowUnknownOutputs: true });
made.addInput({ txid: 'ab'.repeat(32), index: 0 });
made.addOutput({ script: coin.htlcScript, amount: coin.sourceAmount });

function onBitcoin(now: Clocks, { spent = false, listed = true, disagreement = null as string | null } = {}) {
  const there = { outpoint: fundPoint, script: coin.htlcScript, amount: coin.sourceAmount, height: startHeight };
  const bitcoin = {
    tip: async () => ({ height: startHeight + 10 }),
    coins: async () => (listed ? [there] : []),
    spend: async () => (spent ? { txid: '00'.repeat(32) } : null),
    transaction: async () => ({ bytes: made.unsignedTx, height: startHeight }),
    disagreement: () => disagreement,
  };
  return fate(funded, { bitcoin }, now);
}

test('fault 328, bitcoin: for a coin', async () => {
  const [opens, ends] = [coin.vhtlc.refundLocktime, coin.htlc.refundLocktime];
  const last = ends - coin.policy.mtpLag - coin.policy.margin + 1_800;
  expect([
    await onBitcoin(clocksAt(opens)),
    await onBitcoin(clocksAt(opens + 7_200)),
    await onBitcoin(clocksAt(last)),
    await onBitcoin(clocksAt(last + 1)),
    await onBitcoin(clocksAt(ends + 3_600), { spent: true }),
    await onBitcoin(clocksAt(opens), { spent: true }),
    await onBitcoin(clocksAt(opens), { listed: false }),
    await onBitcoin(clocksAt(opens), { disagreement: 'They differ.' }),
    await onBitcoin(unread(opens)),
  ]).toEqual([
    ...['finished', 'finished', 'finished'],
    ...['lock-unpaid', 'lock-unpaid'],
    ...['asked again', 'asked again', 'asked again', 'asked again'],
  ]);
});

const held = lightningArkadeTerms;

function onLightning(blocksLeft: number, at: number, state: HoldState['is'] = 'held') {
  const height = startHeight + 100;
  const expiryHeight = height + blocksLeft + (startHeight - stopLine(startHeight, held.policy));
  const { sourceAmount: amount } = held;
  const hold = { is: state, amount, smallest: amount, expiryHeight };
  const lightning = { hold: async () => hold, info: async () => ({ height, synced: true }) };
  const { hash, sourceAmount, vhtlc, policy } = held as never as { hash: never } & typeof held;
  const payment = { hash, sourceAmount, vhtlcRefundLocktime: vhtlc.refundLocktime, policy };
  return fate({ notAfter: held.lockBefore, held: payment }, { lightning }, clocksAt(at, { height }));
}

test('fault 328, lightning: for a payment', async () => {
  const opens = held.vhtlc.refundLocktime;
  const after = unix(opens + 3_600);
  expect([
    await onLightning(200, opens - 600),
    // Our refund is not open yet: what is left is enough for a claim, and not until that.
    await onLightning(60, opens - 3 * 3_600),
    await onLightning(60, after),
    await onLightning(5, after),
    await onLightning(0, after),
    await onLightning(200, after, 'cancelled'),
  ]).toEqual(['finished', 'lock-unpaid', 'finished', 'lock-unpaid', 'lock-unpaid', 'lock-unpaid']);
});
