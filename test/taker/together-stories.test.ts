import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isRefusal, refuse } from '../../engine/domain/errors.ts';
import { asPreimage } from '../../engine/domain/hash.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import type { MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import type { TheirPartial } from '../../engine/legs/onchain/wallet-port.ts';
import type { ProviderPort } from '../../engine/taker/port.ts';
import type { BitcoinLeg, Deal, LightningLeg } from '../../engine/taker/terms.ts';
import { silence, type Pair } from './pair.ts';
import { amount, startTogether, type Together } from './together.ts';

/* A client and its provider spend a coin of an HTLC together, and what a provider that lies has of it: nothing. */

vi.setConfig({ testTimeout: 120_000 });

let swaps: Together;
let pair: Pair;
/** What the provider was asked, in its order. */
let asks: string[];

beforeEach(async () => {
  swaps = await startTogether();
  ({ pair } = swaps);
  asks = [];
});

afterEach(() => pair?.stop());

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
    const id = await swaps.buy();
    const coin = await swaps.coinOf(id);
    await swaps.minedUntil(id, 'claimed');
    expect([await swaps.spentBy(id, coin), (await swaps.bitcoins()) > amount - 1_000n]).toEqual(['key', true]);
    await expect.poll(() => pair.provider.runtime.workingSet.size, { timeout: 60_000 }).toBe(0);
  });

  test.each(Object.keys(lies))('is claimed by its script where the provider answers with %s', async (lie) => {
    lies[lie]!();
    const id = await swaps.buy();
    const coin = await swaps.coinOf(id);
    await swaps.minedUntil(id, 'claimed');
    expect([await swaps.spentBy(id, coin), asks.length]).toEqual(['claim', 1]);
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
    const id = await swaps.buy();
    const coin = await swaps.coinOf(id);
    await expect.poll(() => late !== null, { timeout: 30_000 }).toBe(true);
    await expect.poll(() => swaps.spentBy(id, coin), { timeout: 40_000 }).toBe('claim');
    late!();
    await swaps.minedUntil(id, 'claimed');
    expect(await swaps.spentBy(id, coin)).toBe('claim');
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
      const id = await swaps.buy();
      const coin = await swaps.coinOf(id);
      await swaps.minedUntil(id, 'claimed');
      expect(await swaps.spentBy(id, coin)).toBe(i === 0 ? 'key' : 'claim');
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
    const id = await swaps.buy();
    const coin = await swaps.coinOf(id);
    await swaps.minedUntil(id, 'claimed');
    expect([preimages.length, await swaps.spentBy(id, coin)]).toEqual([1, 'claim']);
    await pair.restartProvider();
  });
});

/** What the provider says of a swap by itself, and nothing at all. */
const words = {
  'and it says what paid it': null,
  'and it hides what paid it, as if nobody had (fault 127)': () => Promise.resolve({ status: 'pending' } as const),
};

test.each(Object.keys(words))('fault 121, bitcoin: a coin that its provider took while we slept, %s', async (word) => {
  const lie = words[word as keyof typeof words];
  if (lie !== null) pair.tampered.status = lie;
  const { bolt11 } = pair.world.invoice(amount);
  const created = await pair.taker.taker.create({
    direction: 'bitcoin-lightning',
    amount: sats(amount),
    invoice: bolt11,
    provider: '',
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  await swaps.agreed(created.id);
  const { source, swapId } = swaps.dealOf(created.id) as Deal<BitcoinLeg, LightningLeg>;
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
  await swaps.minedUntil(created.id, 'claimed');
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
    const { id, coin, release } = await swaps.sell();
    release('fails');
    await swaps.minedUntil(id, 'done');
    expect([await swaps.spentBy(id, coin), pair.taker.taker.swap(id)]).toMatchObject(['key', { outcome: 'returned' }]);
    expect(await swaps.bitcoins()).toBeGreaterThan(amount - 1_000n);
  });

  test('is not given back while the payment may settle: the owner asks in vain, and the payee is paid', async () => {
    const { id, coin, release } = await swaps.sell();
    await swaps.minedUntil(id, 'funded');
    await expect.poll(() => JSON.stringify(pair.taker.taker.swap(id)), { timeout: 30_000 }).toContain('serverfunded');
    const refusal = await pair.taker.taker.refund(id);
    expect(isRefusal(refusal)).toBe(false);
    await expect
      .poll(() => JSON.stringify(pair.taker.taker.swap(id)), { timeout: 30_000 })
      .toContain('provider-declined');
    release('settles');
    await swaps.minedUntil(id, 'claimed');
    await expect.poll(() => swaps.spentBy(id, coin), { timeout: 30_000 }).toBe('key');
  });

  test.each(['silence', 'a refusal', 'a partial that is none'])(
    'comes back by its height where the provider answers with %s',
    async (lie) => {
      lies[lie]!();
      const { id, coin, release } = await swaps.sell();
      release('fails');
      await expect.poll(() => asks.length, { timeout: 60_000 }).toBeGreaterThan(0);
      await expect.poll(() => pair.taker.at(id), { timeout: 30_000 }).toBe('funded');
      const { refundHeight } = swaps.htlcOf(id).htlc as MusigHtlcTerms;
      await pair.world.mine(refundHeight - pair.world.bitcoin.clock.height() + 1);
      await swaps.minedUntil(id, 'done');
      expect(await swaps.spentBy(id, coin)).toBe('refund');
    },
  );
});
