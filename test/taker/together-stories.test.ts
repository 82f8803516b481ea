import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isRefusal, refuse } from '../../engine/domain/errors.ts';
import { asPreimage } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { toHex } from '../../engine/domain/hex.ts';
import type { MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { readHtlcSpend } from '../../engine/legs/onchain/htlc-spend.ts';
import { readRawTx } from '../../engine/legs/raw-tx.ts';
import type { TheirPartial } from '../../engine/taker/joint.ts';
import type { ProviderPort } from '../../engine/taker/port.ts';
import type { BitcoinLeg, Deal, LightningLeg } from '../../engine/taker/terms.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import { startWorld } from '../support/world.ts';
import { silence, startPair, type Pair } from './pair.ts';

/* A client and its provider spend a coin of an HTLC together, and what a provider that lies has of it: nothing. */

vi.setConfig({ testTimeout: 120_000 });

const amount = 50_000n;
let pair: Pair;
/** What the provider was asked, in its order. */
let asks: string[];

beforeEach(async () => {
  const world = startWorld();
  pair = await startPair({ world, taker: { bitcoinWallet: true }, provider: { bitcoinWallet: true } });
  asks = [];
  await deposit({ world, node: pair.provider }, 1_000_000, 1_000_000);
});

afterEach(() => pair.stop());

type Claim = Parameters<ProviderPort['claimTogether']>;
type Refund = Parameters<ProviderPort['refundTogether']>;

const honest = () => pair.provider.asProvider('');

/** The provider answers, but for what is changed of it. */
function tamper(of: (answer: TheirPartial) => TheirPartial): void {
  const changed = async (call: () => ReturnType<ProviderPort['claimTogether']>) => {
    asks.push('asked');
    const answer = await call();
    return isRefusal(answer) ? answer : of(answer);
  };
  pair.tampered.claimTogether = (...args: Claim) => changed(() => honest().claimTogether(...args));
  pair.tampered.refundTogether = (...args: Refund) => changed(() => honest().refundTogether(...args));
}

function answering(answer: () => ReturnType<ProviderPort['claimTogether']>): void {
  const instead = () => {
    asks.push('asked');
    return answer();
  };
  pair.tampered.claimTogether = instead;
  pair.tampered.refundTogether = instead;
}

function dealOf(id: string): Deal<LightningLeg | BitcoinLeg, LightningLeg | BitcoinLeg> {
  const progress = pair.taker.store.swaps.byId(id)?.progress as { deal?: Deal } | undefined;
  if (progress?.deal === undefined) throw new Error('nothing is agreed yet');
  return progress.deal as never;
}

function htlcOf(id: string): BitcoinLeg {
  const { source, target } = dealOf(id);
  return source.on === 'bitcoin' ? source : (target as BitcoinLeg);
}

/** By what the coin of the swap was taken: by the claim leaf, the refund leaf, or the key of both. */
async function spentBy(id: string, coin: Outpoint): Promise<string | null> {
  const txid = pair.world.bitcoin.spend(coin)?.txid;
  const bytes = txid === undefined ? null : (await pair.taker.ports.bitcoin?.transaction(txid))?.bytes;
  const tx = readRawTx(bytes ?? new Uint8Array());
  return tx === null ? null : (readHtlcSpend(htlcOf(id).htlc as MusigHtlcTerms, coin, tx)?.by ?? null);
}

async function agreed(id: string): Promise<void> {
  await expect.poll(() => pair.taker.at(id), { timeout: 30_000 }).toBe('waiting');
}

async function minedUntil(id: string, ...states: readonly string[]): Promise<void> {
  await expect
    .poll(
      async () => {
        const at = pair.taker.at(id);
        if (!states.includes(at)) await pair.world.mine(1);
        return states.includes(at);
      },
      { timeout: 60_000, interval: 200 },
    )
    .toBe(true);
}

const bitcoins = async () => (await pair.taker.runtime.ports.bitcoinWallet?.balance([]))?.available ?? 0n;

/** A payment is held, and the provider's coin lies there: the claim begins. */
async function buy(): Promise<string> {
  const created = await pair.taker.taker.create({
    direction: 'lightning-bitcoin',
    amount: sats(amount),
    invoice: null,
    provider: '',
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  await agreed(created.id);
  const { source } = dealOf(created.id);
  pair.world.pay((source as LightningLeg).bolt11);
  return created.id;
}

/** The coin that the client claims, once it is there. */
async function coinOf(id: string): Promise<Outpoint> {
  await minedUntil(id, 'claiming', 'claimed');
  const { target } = pair.taker.store.swaps.byId(id)?.progress as { target?: { coin?: { outpoint: Outpoint } } };
  if (target?.coin === undefined) throw new Error('there is no coin');
  return target.coin.outpoint;
}

/** A coin of the client's, and an invoice whose payee fails its payment or keeps it. */
async function sell(): Promise<{ id: string; coin: Outpoint; release(outcome: 'settles' | 'fails'): void }> {
  const { bolt11, hash } = pair.world.invoice(amount, { hold: true });
  const created = await pair.taker.taker.create({
    direction: 'bitcoin-lightning',
    amount: sats(amount),
    invoice: bolt11,
    provider: '',
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  await agreed(created.id);
  const { source } = dealOf(created.id) as Deal<BitcoinLeg, LightningLeg>;
  const coin = pair.world.bitcoin.faucet(source.script, source.amount);
  if (coin === null) throw new Error('the faucet is empty');
  await pair.world.mine(1);
  const { swapId } = dealOf(created.id);
  await expect.poll(() => pair.provider.at(swapId), { timeout: 30_000 }).toBe('paying');
  return { id: created.id, coin, release: (outcome) => pair.world.lightning.release(toHex(hash), outcome) };
}

const anotherNonce = Uint8Array.from([
  2,
  ...Buffer.from('79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex'),
  3,
  ...Buffer.from('c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5', 'hex'),
]);

const garbled: Readonly<Record<string, (answer: TheirPartial) => TheirPartial>> = {
  'a partial that is none': (answer) => ({ ...answer, partial: new Uint8Array(32).fill(7) }),
  'a nonce of another signature': ({ partial }) => ({ partial, publicNonce: anotherNonce }),
  'a nonce that is no point': (answer) => ({ ...answer, publicNonce: new Uint8Array(66) }),
  'a partial of no length': (answer) => ({ ...answer, partial: new Uint8Array(0) }),
};

/** A provider that lies, and how. */
const lies: Readonly<Record<string, () => void>> = {
  silence: () => answering(silence),
  'a refusal': () => answering(() => Promise.resolve(refuse('forbidden', 'not now'))),
  'nothing at all': () => answering(() => new Promise<never>(() => undefined)),
  ...Object.fromEntries(Object.entries(garbled).map(([name, of]) => [name, () => tamper(of)])),
};

describe('the coin that a client bought', () => {
  test('is claimed by the key of both: the chain never sees the secret', async () => {
    const id = await buy();
    const coin = await coinOf(id);
    await minedUntil(id, 'claimed');
    expect([await spentBy(id, coin), (await bitcoins()) > amount - 1_000n]).toEqual(['key', true]);
    await expect.poll(() => pair.provider.runtime.workingSet.size, { timeout: 60_000 }).toBe(0);
  });

  test.each(Object.keys(lies))('is claimed by its script where the provider answers with %s', async (lie) => {
    lies[lie]!();
    const id = await buy();
    const coin = await coinOf(id);
    await minedUntil(id, 'claimed');
    expect([await spentBy(id, coin), asks.length]).toEqual(['claim', 1]);
  });

  test('a late answer changes nothing, and the payment is settled by what the chain shows', async () => {
    let late: (() => void) | null = null;
    pair.tampered.claimTogether = (...args: Claim) =>
      new Promise((resolve) => {
        late = () =>
          void honest()
            .claimTogether(...args)
            .then(resolve);
      });
    const id = await buy();
    const coin = await coinOf(id);
    await expect.poll(() => late !== null, { timeout: 30_000 }).toBe(true);
    await expect.poll(() => spentBy(id, coin), { timeout: 40_000 }).toBe('claim');
    late!();
    await minedUntil(id, 'claimed');
    expect(await spentBy(id, coin)).toBe('claim');
  });

  test('one nonce of the provider for two claims gives it nothing: ours is another each time', async () => {
    const nonces = new Set<string>();
    let first: TheirPartial | null = null;
    pair.tampered.claimTogether = async (id, ask, signal) => {
      nonces.add(toHex(ask.publicNonce));
      const answer = await honest().claimTogether(id, ask, signal);
      if (isRefusal(answer)) return answer;
      first ??= answer;
      return first;
    };
    for (let i = 0; i < 2; i++) {
      const id = await buy();
      const coin = await coinOf(id);
      await minedUntil(id, 'claimed');
      expect(await spentBy(id, coin)).toBe(i === 0 ? 'key' : 'claim');
    }
    expect(nonces.size).toBe(2);
  });

  test('a provider that has the secret, gives nothing, and settles, keeps the coin from nobody', async () => {
    const preimages: string[] = [];
    pair.tampered.claimTogether = async (_, { preimage }) => {
      preimages.push(toHex(asPreimage(preimage)));
      await pair.provider.kill();
      return silence();
    };
    const id = await buy();
    const coin = await coinOf(id);
    await minedUntil(id, 'claimed');
    expect([preimages.length, await spentBy(id, coin)]).toEqual([1, 'claim']);
    await pair.restartProvider();
  });
});

test('fault 121, bitcoin: a client that slept while its invoice was paid finds its coin taken', async () => {
  const { bolt11 } = pair.world.invoice(amount);
  const created = await pair.taker.taker.create({
    direction: 'bitcoin-lightning',
    amount: sats(amount),
    invoice: bolt11,
    provider: '',
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  await agreed(created.id);
  const { source, swapId } = dealOf(created.id) as Deal<BitcoinLeg, LightningLeg>;
  await pair.taker.kill();
  const coin = pair.world.bitcoin.faucet(source.script, source.amount);
  if (coin === null) throw new Error('the faucet is empty');
  await expect
    .poll(
      async () => {
        await pair.world.mine(1);
        return pair.provider.at(swapId);
      },
      { timeout: 60_000, interval: 200 },
    )
    .toBe('claimed');
  await pair.restartTaker();
  await minedUntil(created.id, 'claimed');
  expect(pair.taker.taker.swap(created.id)).toMatchObject({
    outcome: 'finished',
    pay: null,
    transactions: [
      { what: 'fund', txid: coin.txid },
      { what: 'claim', whose: 'provider' },
    ],
  });
});

describe('the coin that a client paid for a payment which failed', () => {
  test('comes back by the key of both, long before its height', async () => {
    const { id, coin, release } = await sell();
    release('fails');
    await minedUntil(id, 'done');
    expect([await spentBy(id, coin), pair.taker.taker.swap(id)]).toMatchObject(['key', { outcome: 'returned' }]);
    expect(await bitcoins()).toBeGreaterThan(amount - 1_000n);
  });

  test('is not given back while the payment may settle: the owner asks in vain, and the payee is paid', async () => {
    const { id, coin, release } = await sell();
    await minedUntil(id, 'funded');
    await expect.poll(() => JSON.stringify(pair.taker.taker.swap(id)), { timeout: 30_000 }).toContain('serverfunded');
    const refusal = await pair.taker.taker.refund(id);
    expect(isRefusal(refusal)).toBe(false);
    await expect
      .poll(() => JSON.stringify(pair.taker.taker.swap(id)), { timeout: 30_000 })
      .toContain('provider-declined');
    release('settles');
    await minedUntil(id, 'claimed');
    expect(await spentBy(id, coin)).toBe('claim');
  });

  test.each(['silence', 'a refusal', 'a partial that is none'])(
    'comes back by its height where the provider answers with %s',
    async (lie) => {
      lies[lie]!();
      const { id, coin, release } = await sell();
      release('fails');
      await expect.poll(() => asks.length, { timeout: 60_000 }).toBeGreaterThan(0);
      await expect.poll(() => pair.taker.at(id), { timeout: 30_000 }).toBe('funded');
      const { refundHeight } = htlcOf(id).htlc as MusigHtlcTerms;
      await pair.world.mine(refundHeight - pair.world.bitcoin.clock.height() + 1);
      await minedUntil(id, 'done');
      expect(await spentBy(id, coin)).toBe('refund');
    },
  );
});
