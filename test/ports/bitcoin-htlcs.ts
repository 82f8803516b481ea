import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { readTransaction } from '../../engine/adapters/bitcoin/raw.ts';
import { bitcoinWallet } from '../../engine/adapters/bitcoin/wallet.ts';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { asPreimage } from '../../engine/domain/hash.ts';
import { less, sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { unix } from '../../engine/domain/time.ts';
import { scriptOfAddress } from '../../engine/legs/onchain/address.ts';
import { readHtlcSpend } from '../../engine/legs/onchain/htlc-spend.ts';
import { htlcScript, type TimeHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import type { PreparedSend } from '../../engine/legs/onchain/wallet-port.ts';
import { nothingKept } from '../../engine/legs/onchain/reserve.ts';
import { readRawTx } from '../../engine/legs/raw-tx.ts';
import { hash160Of } from '../../engine/legs/secret.ts';
import type { KeyRef } from '../../engine/legs/signer.ts';
import { memoryIndexes } from '../support/wallet-indexes.ts';
import type { BitcoinControls } from './bitcoin-suite.ts';

const amount = sats(60_000);
const deposit = 300_000n;
const [ours, theirs]: KeyRef[] = [
  { branch: 'swap', index: 0 },
  { branch: 'swap', index: 1 },
];
const forms: readonly TimeHtlcTerms['form'][] = ['p2tr', 'p2wsh'];
const accepted = { is: 'accepted' };

interface Scene {
  readonly port: BitcoinPort;
  readonly controls: BitcoinControls;
  /** No script of these tests was paid below this height. */
  readonly since: number;
  readonly soon: (check: () => Promise<void>) => Promise<void>;
}

/**
 * What swaps do with an HTLC over the port: a wallet funds it, it is watched, claimed unconfirmed, taken back, and
 * pushed.
 */
export function htlcTests(scene: () => Scene): void {
  /** An HTLC that we refund and somebody else claims, and a wallet that can fund it. */
  async function opened(form: TimeHtlcTerms['form'], refundLocktime = unix(1_600_000_000)) {
    const { port, controls, since } = scene();
    const { privateKey, signer } = createKeys(new Uint8Array(randomBytes(64)), 'regtest');
    const wallet = bitcoinWallet({ bitcoin: port, network: 'regtest', keys: privateKey, indexes: memoryIndexes() });
    await controls.faucet(scriptOfAddress(await wallet.address(), 'regtest') ?? new Uint8Array(), deposit);
    await controls.mine(1);
    const preimage = asPreimage(new Uint8Array(randomBytes(32)));
    const [claimer, refunder] = [theirs, ours].map((key) => signer(key as KeyRef).publicKey) as [never, never];
    const terms: TimeHtlcTerms = { form, hash: hash160Of(preimage), claimer, refunder, refundLocktime };
    const { pkScript: script } = htlcScript(terms);
    const spend = (coin: Outpoint, feeRate: number, by: 'claim' | 'refund' = 'claim') =>
      wallet
        .prepareHtlcSpend({
          terms,
          key: (by === 'claim' ? theirs : ours) as KeyRef,
          coin: { ...coin, amount },
          ...(by === 'claim' ? { preimage } : {}),
          feeRate,
          mostFee: sats(30_000),
        })
        .then((made) => made ?? expect.fail('it is worth its fee'));
    const made: PreparedSend[] = [];
    await scene().soon(async () => {
      const request = {
        script,
        amount,
        reserved: [],
        rate: 2,
        mostFee: sats(10_000),
        leastChange: sats(1_000),
        reserve: nothingKept,
        pieces: [],
      };
      made.push(await wallet.prepareFunding(request));
    });
    const funding = made[0] ?? expect.fail('no funding');
    const coin: Outpoint = { txid: funding.txid, vout: 0 };
    const coins = async () => (await port.coins([script], since)).map(({ outpoint, height }) => ({ outpoint, height }));
    const shows = (bytes: Uint8Array): boolean => {
      const tx = readRawTx(bytes);
      return tx !== null && readHtlcSpend(terms, coin, tx)?.by === 'claim';
    };
    /** What spends the coin; whether its bytes show the secret is told with it or not at all. */
    const spent = async (shown: boolean) => {
      const { fits = shown, ...spend } = (await port.spend(coin, shows)) ?? {};
      expect(fits).toBe(shown);
      return spend;
    };
    return { port, controls, wallet, terms, preimage, script, spend, spent, funding, coin, coins, shows };
  }

  test.each(forms)(
    'an HTLC as %s is funded for good, claimed before it is mined, and shows its secret',
    async (form) => {
      const { port, controls, terms, preimage, spend, spent, funding, coin, coins, shows } = await opened(form);
      const { soon } = scene();
      expect(await port.broadcast(funding.bytes)).toEqual(accepted);
      await soon(async () => expect(await coins()).toEqual([{ outpoint: coin, height: null }]));

      const claim = await spend(coin, 3);
      expect(await port.broadcast(claim.bytes)).toEqual(accepted);
      await soon(async () => expect(await spent(true)).toEqual({ txid: claim.txid, height: null }));
      const shown = await port.transaction(claim.txid, shows);
      const tx = readRawTx(shown?.bytes ?? new Uint8Array()) ?? expect.fail('the claim is not shown');
      expect(readHtlcSpend(terms, coin, tx)).toEqual({ by: 'claim', preimage });
      expect(await coins()).toEqual([]);

      const dearer = await spend(coin, 9);
      expect(await port.broadcast(dearer.bytes)).toEqual(accepted);
      await soon(async () =>
        expect([await spent(true), await port.transaction(claim.txid)]).toEqual([
          { txid: dearer.txid, height: null },
          null,
        ]),
      );
      expect(await port.broadcast(claim.bytes)).toMatchObject({ is: 'spent' });

      await controls.mine(1);
      const { height } = await controls.truth();
      await soon(async () => expect(await spent(true)).toEqual({ txid: dearer.txid, height }));
      await controls.reorg(1);
      await soon(async () => expect(await spent(true)).toEqual({ txid: dearer.txid, height: null }));
      expect((await port.broadcastPackage(funding.bytes, dearer.bytes)).child).toEqual(accepted);
      await controls.mine(1);
    },
  );

  test('a funding that waits is taken back by its first coin, unless only what signals replacement is replaced', async () => {
    const { port, controls, wallet, funding, coin, coins } = await opened('p2tr');
    const { soon } = scene();
    expect(await port.broadcast(funding.bytes)).toEqual(accepted);
    await soon(async () => expect(await coins()).toEqual([{ outpoint: coin, height: null }]));
    const [first = expect.fail('no coin')] = funding.coins;
    const made = await wallet.prepareCancel({ coin: first, rate: 50, mostFee: sats(30_000) });
    const cancel = made ?? expect.fail('it is worth its fee');
    const answer = await port.broadcast(cancel.bytes);
    await controls.mine(1);
    const { height } = await controls.truth();
    if (controls.replacesAll) {
      expect(answer).toEqual(accepted);
      await soon(async () => expect(await port.transaction(cancel.txid)).toMatchObject({ height }));
      expect([await coins(), await port.transaction(funding.txid)]).toEqual([[], null]);
      expect(await port.broadcast(funding.bytes)).toMatchObject({ is: 'spent' });
    } else {
      expect(answer).toMatchObject({ is: 'spent' });
      await soon(async () => expect(await coins()).toEqual([{ outpoint: coin, height }]));
      expect(await port.transaction(cancel.txid)).toBeNull();
    }
  });

  test('a child of the change pushes what funds an HTLC, beside the claim of it', async () => {
    const { port, controls, wallet, spend, funding, coin } = await opened('p2tr');
    const { soon } = scene();
    await port.broadcast(funding.bytes);
    const change = funding.change ?? expect.fail('no change');
    const size = readRawTx(funding.bytes)?.vsize ?? 0;
    const ask = {
      change: { outpoint: { txid: funding.txid, vout: 1 }, ...change },
      parent: { fee: funding.fee, size },
    };
    const child = await wallet.prepareCpfp({ ...ask, rate: 10, mostFee: sats(20_000), replaces: null });
    const both = { parent: accepted, child: accepted };
    expect(await port.broadcastPackage(funding.bytes, child?.bytes ?? new Uint8Array())).toEqual(both);
    const claim = await spend(coin, 3);
    expect(await port.broadcastPackage(funding.bytes, claim.bytes)).toEqual(both);
    const dearer = await wallet.prepareCpfp({ ...ask, rate: 30, mostFee: sats(20_000), replaces: child?.fee ?? null });
    expect(await port.broadcastPackage(funding.bytes, dearer?.bytes ?? new Uint8Array())).toEqual(both);
    expect(await port.broadcastPackage(funding.bytes, child?.bytes ?? new Uint8Array())).toMatchObject({
      parent: accepted,
      child: { is: 'spent' },
    });
    await controls.mine(1);
    const { height } = await controls.truth();
    await soon(async () => {
      const txids = [funding.txid, claim.txid, dearer?.txid ?? ''];
      const all = await Promise.all(txids.map((txid) => port.transaction(txid)));
      expect(all.map((one) => one?.height)).toEqual([height, height, height]);
    });
    const left = readTransaction(dearer?.bytes ?? new Uint8Array()).outputs[0]?.amount ?? 0n;
    expect(less(change.amount, sats(left))).toBe(dearer?.fee);
  });

  test.each(forms)('an HTLC as %s is taken back above its locktime, and not before', async (form) => {
    const { times } = await scene().controls.truth();
    const locktime = unix(Math.max(...times) + 600);
    const { port, controls, spend, spent, funding, coin, shows } = await opened(form, locktime);
    const { soon } = scene();
    await port.broadcast(funding.bytes);
    await controls.mine(1);
    const refund = await spend(coin, 3, 'refund');
    expect(await port.broadcast(refund.bytes)).toMatchObject({ is: 'later' });
    expect(await port.spend(coin, shows)).toBeNull();
    await controls.reach(locktime + 1);
    await soon(async () => expect(await port.broadcast(refund.bytes)).toEqual(accepted));
    await soon(async () => expect(await spent(false)).toEqual({ txid: refund.txid, height: null }));
    // Whoever claims now pays more for it.
    const claim = await spend(coin, 9);
    expect(await port.broadcast(claim.bytes)).toEqual(accepted);
    await soon(async () => expect(await spent(true)).toEqual({ txid: claim.txid, height: null }));
    await controls.mine(1);
    expect(await port.broadcast(refund.bytes)).toMatchObject({ is: 'spent' });
  });
}
