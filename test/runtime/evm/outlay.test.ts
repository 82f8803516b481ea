import { expect, test } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { bitcoinCoin, type CoinPrice } from '../../../engine/quote/coin-price.ts';
import { noteOutlay, settleOutlay } from '../../../engine/runtime/networks/evm/outlay.ts';
import type { RulesOf } from '../../../engine/runtime/networks/evm/rules.ts';
import { noUnpaidCosts } from '../../../engine/runtime/unpaid.ts';
import type { Outlay } from '../../../engine/store/outlays.ts';
import { openStore } from '../../store/support.ts';
import { anyGas } from '../support.ts';

const network = 'evm:137';

/** What is counted of a lock that was signed for 500 sats and mined for 300, by what the coin costs at that moment. */
function counted(price: CoinPrice | null, mined = 300n): bigint {
  const { store } = openStore();
  const whose = { clients: ['account:aa'], paidBefore: false };
  store.outlays.put({ swap: 'a', network, place: '7', amount: sats(500) }, whose, 1_760_000_000);
  const row = { network, account: 'aa', nonce: 7, subject: 'a', purpose: 'lock' } as never;
  const rules: RulesOf = (chain) => ({ ...anyGas(chain), price });
  settleOutlay(row, mined * bitcoinCoin.wei, network, rules, store);
  return store.outlays.since(network, 0).all;
}

test('fault 106, evm: what was mined while nobody knew what the coin costs counts as it was signed', () => {
  expect([counted(bitcoinCoin), counted(null)]).toEqual([300n, 500n]);
});

test('fault 106, evm: what a lock needs approved before it counts to its swap', () => {
  const { store } = openStore();
  const notes: string[] = [];
  const unpaid = { ...noUnpaidCosts, note: ({ place }: Outlay) => void notes.push(place) };
  const outgoing = { network, subject: 'a', purpose: 'approve' };
  const priced = { outgoing, gas: 46_000n, fees: { is: 'legacy', price: 1n } } as never;
  noteOutlay(priced, 7, { unpaid, evm: () => ({ price: bitcoinCoin }) as never })(store, 1_760_000_000);
  expect(notes).toEqual(['7']);
});

/** The places at which a swap is counted once these were signed for it. */
function placesOf(paysRelay: boolean, ...purposes: readonly string[]): string[] {
  const places = new Map<string, bigint>();
  const note = ({ place, amount }: Outlay) => void places.set(place, amount);
  const unpaid = { ...noUnpaidCosts, paysRelay: () => paysRelay, note };
  const store = { outlays: { drop: ({ place }: Outlay) => void places.delete(place) } } as never;
  for (const [nonce, purpose] of purposes.entries()) {
    const outgoing = { network, subject: 'a', purpose };
    const priced = { outgoing, gas: 100_000n, fees: { is: 'legacy', price: bitcoinCoin.wei / 1_000n } } as never;
    noteOutlay(priced, nonce, { unpaid, evm: () => ({ price: bitcoinCoin }) as never })(store, 1_760_000_000);
  }
  return [...places].map(([place, amount]) => `${place}: ${amount}`);
}

test('fault 246, evm: a lock counts the relay that its client paid for, until that is signed', () => {
  const [lock, refund, relay] = ['0: 100', 'refund to come: 90', 'relay to come: 480'];
  expect([placesOf(false, 'lock'), placesOf(true, 'lock')]).toEqual([
    [lock, refund],
    [lock, refund, relay],
  ]);
  expect([placesOf(true, 'lock', 'relay-claim'), placesOf(true, 'lock', 'refund')]).toEqual([
    [lock, refund, '1: 100'],
    [lock, '1: 100'],
  ]);
});

test('what never happened cost nothing, whatever the coin is worth', () => {
  expect([counted(bitcoinCoin, 0n), counted(null, 0n)]).toEqual([0n, 0n]);
});
