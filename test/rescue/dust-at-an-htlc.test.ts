import { expect, test } from 'vitest';
import { sats } from '../../engine/domain/money.ts';
import { height, unix } from '../../engine/domain/time.ts';
import { onchainFailure } from '../../engine/legs/onchain/failures.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import { htlcScript } from '../../engine/legs/onchain/htlc.ts';
import type { RescueLeg } from '../../engine/legs/rescue.ts';
import { bitcoinHand } from '../../engine/rescue/bitcoin.ts';
import type { Ports } from '../../engine/runtime/ports.ts';
import { Transaction } from 'bitcoinjs-lib/src/transaction';
import { deal } from '../taker/bitcoin-arkade-cases.ts';

const { htlc: terms, amount } = deal.source;
const payment = new Transaction();
payment.addInput(new Uint8Array(32).fill(7), 0);
payment.addOutput(htlcScript(terms).pkScript, amount);
const outpoint = { txid: payment.getId(), vout: 0 };

/** A server that lists no script which was paid so often, and knows each transaction by its name. */
function dusted(isThere: boolean): Ports {
  const transaction: BitcoinPort['transaction'] = async (txid) =>
    isThere && txid === outpoint.txid ? { bytes: payment.toBuffer(), height: 190 } : null;
  const bitcoin: Partial<BitcoinPort> = {
    tip: async () => ({ hash: 'aa'.repeat(32), height: height(200), mtp: unix(1), time: unix(1) }),
    coins: () => Promise.reject(onchainFailure('bitcoin-away', 'safe', 'The server answered 400.')),
    payments: async () => ({
      payments: isThere ? [{ txid: outpoint.txid, amount: sats(amount), spent: false }] : [],
      over: true,
    }),
    glance: transaction,
    transaction,
    spend: async () => null,
  };
  return { bitcoin } as Partial<Ports> as Ports;
}

const leg = (coin: typeof outpoint | null) =>
  ({ on: 'bitcoin', terms, coin, amount, since: 100, refund: null, claim: null, key: 0 }) as unknown as Extract<
    RescueLeg,
    { on: 'bitcoin' }
  >;

test.each([outpoint, null])('a coin beside more dust than a server lists is found: %o', async (coin) => {
  const sight = await bitcoinHand(dusted(true), 'regtest', { of: () => [] }).look(leg(coin), 'refund');
  expect(sight).toMatchObject({ state: { is: 'standing' }, coin: outpoint });
});

test('what no server lists is not called nothing', async () => {
  await expect(bitcoinHand(dusted(false), 'regtest', { of: () => [] }).look(leg(null), 'refund')).rejects.toThrow(
    'answered 400',
  );
});
