import { sats } from '../../engine/domain/money.ts';
import type { SavedSend } from '../../engine/legs/onchain/wallet-port.ts';
import {
  bitcoinWithdrawal,
  type BitcoinWithdrawalProgress,
  type BitcoinWithdrawalTerms,
} from '../../engine/swap/jobs/withdrawal-bitcoin.ts';
import { clocksAt, start, txid, type Case, type Telling } from './cases.ts';

const coin = {
  outpoint: { txid: txid.lock, vout: 1 },
  amount: sats(90_000),
  key: { branch: 'bitcoin-deposit', index: 3 },
} as const;

function payment(id: string, fee: number, change: boolean): SavedSend {
  return {
    txid: id,
    coins: [coin],
    change: change ? { amount: sats(40_000 - fee), key: { branch: 'bitcoin-change', index: 0 } } : null,
    fee: sats(change ? fee : 40_000),
    rate: fee / 154,
    capped: !change,
  };
}

const first = payment(txid.claim, 200, true);
const better = payment(txid.refund, 400, true);
const last = payment(txid.batch, 0, false);

function hear(label: string, event: Telling['event']): Telling {
  return { label, event, now: clocksAt(start) };
}

/** Payments out of the Bitcoin wallet: one, a better one, and the last that there can be. */
export const bitcoinWithdrawalCase: Case<BitcoinWithdrawalTerms, BitcoinWithdrawalProgress> = {
  machine: bitcoinWithdrawal,
  terms: { script: new Uint8Array(34), address: 'bcrt1elsewhere', amount: sats(50_000) },
  first: { at: 'choosing' },
  events: [
    hear('clock', { is: 'clock' }),
    hear('abandoned', { is: 'abandoned', reason: 'nobody waits' }),
    hear('vhtlc.refused', { is: 'vhtlc.refused', purpose: 'lock', txid: null, why: 'refused', reason: 'not ours' }),
    hear('send.prepared', { is: 'send.prepared', payment: first, height: 100 }),
    hear('send.prepared better', { is: 'send.prepared', payment: better, height: 107 }),
    hear('send.prepared without change', { is: 'send.prepared', payment: last, height: 114 }),
    hear('send.refused', { is: 'send.refused', reason: 'no coins' }),
    ...[first, better, last].map(({ txid: id }, i) =>
      hear(`onchain.stuck ${i}`, { is: 'onchain.stuck', leg: 'bitcoin', txid: id, leastRate: 3 }),
    ),
    hear('onchain.final', { is: 'onchain.final', leg: 'bitcoin', txid: first.txid, fee: first.fee }),
    hear('onchain.refused spent', {
      is: 'onchain.refused',
      leg: 'bitcoin',
      txid: first.txid,
      why: 'spent',
      reason: 'somebody else',
    }),
    hear('onchain.refused refused', {
      is: 'onchain.refused',
      leg: 'bitcoin',
      txid: first.txid,
      why: 'refused',
      reason: 'never relayed',
    }),
    hear('bump.requested', { is: 'bump.requested' }),
  ],
};
