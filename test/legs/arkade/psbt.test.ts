import { expect, test } from 'vitest';
import { SigHash } from '@scure/btc-signer';
import { signedBy, type Prevout } from '../../../engine/legs/psbt.ts';
import { coinOf, collabRefund, poke, script, terms } from './support.ts';

test('fault 51: thousands of witness items that look like signatures cost a handful of verifications', () => {
  const coin = coinOf(1);
  const { arkTx } = collabRefund([coin], []);
  poke(arkTx, 0, { finalScriptWitness: Array.from({ length: 10_000 }, (_, n) => new Uint8Array(64).fill(n)) });
  let looks = 0;
  const prevouts: Prevout[] = [{ script: script.pkScript, amount: coin.amount }];
  const counted = new Proxy(prevouts, {
    get(target, name, receiver) {
      if (name === 'map') looks += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  // Each verification reads the scripts and the amounts of what is spent.
  expect([signedBy(arkTx, 0, counted, script.leaf.refund, terms.sender, [SigHash.DEFAULT]), looks <= 8]).toEqual([
    false,
    true,
  ]);
});
