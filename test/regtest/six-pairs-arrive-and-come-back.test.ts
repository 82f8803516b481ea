import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { text, type Json } from '../stories/client/http.ts';
import { eventually } from '../stories/wire-node.ts';
import { onEachPairOfStage } from './arkd/stage.ts';
import { serveEsplora, type Esplora } from './kit/esplora.ts';
import { startEvmChain, type EvmChainOfStage } from './kit/evm-chain.ts';
import { openOracle, type Books, type Oracle } from './kit/oracle.ts';
import { pairsOn, type Ends, type PairOfKit, type PaidSwap } from './kit/pairs.ts';
import { openSights } from './kit/sights.ts';
import { depositTo, openStage, type Stage } from './kit/stage.ts';

const sats = 40_000;
const limitMs = 300_000;
/** Sats of each coin of the node's Bitcoin wallet, and how many of them it gets. */
const coins = { amount: 200_000n, count: 10 };
/** Units of the pegged token that the node begins with. */
const tokens = 100_000_000n;
/** What nobody claims can be waited out: geth's clock is the wall's. Quick blocks give an HTLC some twenty of them. */
const timing = {
  fundingWindowSeconds: 40,
  marginSeconds: 80,
  serviceLegSeconds: 160,
  clientLegSeconds: 240,
  longestLegSeconds: 259_200,
  fastBlockSeconds: 5,
};

/** What the networks say of both legs where what was bought arrives: by the key of both, or alone by the script. */
const arrive: readonly (readonly [PairOfKit, 'together' | 'alone', Ends])[] = [
  ['bitcoin-lightning', 'together', { source: 'the key of both', target: 'settled' }],
  ['bitcoin-lightning', 'alone', { source: 'the secret', target: 'settled' }],
  ['lightning-bitcoin', 'together', { source: 'settled', target: 'the key of both' }],
  ['lightning-bitcoin', 'alone', { source: 'settled', target: 'the secret' }],
  ['arkade-bitcoin', 'together', { source: 'claim', target: 'the key of both' }],
  ['arkade-bitcoin', 'alone', { source: 'claim', target: 'the secret' }],
  ['lightning-evm', 'alone', { source: 'settled', target: 'redeemed' }],
  ['bitcoin-evm', 'alone', { source: 'the secret', target: 'redeemed' }],
  ['evm-arkade', 'alone', { source: 'redeemed', target: 'claim' }],
];

/** The same where nobody does. */
const comeBack: readonly (readonly [PairOfKit, 'together' | 'alone', Ends])[] = [
  ['bitcoin-lightning', 'together', { source: 'the key of both', target: 'cancelled' }],
  ['bitcoin-lightning', 'alone', { source: 'the refund leaf', target: 'cancelled' }],
  ['lightning-bitcoin', 'alone', { source: 'failed', target: 'the refund leaf' }],
  ['arkade-bitcoin', 'alone', { source: 'refund', target: 'the refund leaf' }],
  ['lightning-evm', 'alone', { source: 'failed', target: 'refunded' }],
  ['bitcoin-evm', 'alone', { source: 'the refund leaf', target: 'refunded' }],
  ['evm-arkade', 'alone', { source: 'refunded', target: 'refund-without-receiver' }],
];

onEachPairOfStage(
  'six pairs arrive and come back',
  (over) => {
    let evm: EvmChainOfStage;
    let stage: Stage;
    let esplora: Esplora;
    let oracle: Oracle;
    let before: Books;
    let account: string;
    const claimed: PaidSwap[] = [];
    const left: PaidSwap[] = [];
    let allGave: Promise<unknown>;

    beforeAll(async () => {
      evm = await startEvmChain(over.evm);
      stage = await openStage({ chain: evm, over: over.bitcoin, timing });
      const { net, node, operator } = stage;
      account = text(await node.owner('POST', `/owner/wallets/evm:${evm.chainId}/address`, {}), 'address');
      await evm.give(account as `0x${string}`, evm.pegged, tokens);
      // Median time past, by which locktimes are made and judged, comes up to the clock.
      await net.mine(11);
      await depositTo(node, net, coins.amount, coins.count);
      await eventually(
        () => node.get('/swap-pairs'),
        ({ pairs }) => (pairs as Json[]).length === 12,
        limitMs,
      );
      esplora = await serveEsplora(() => net.node.rpc);
      oracle = await openOracle(stage);
      before = await oracle.books();
      const sights = await openSights({ esplora: esplora.url, arkade: operator.url, evm });
      const pairs = pairsOn({ stage, evm, esplora: esplora.url, sights, sats });
      // All at once: what nobody claims is waited out while the others arrive.
      for (const [pair, how] of arrive) claimed.push(await pairs[pair](how === 'together'));
      for (const [pair, how] of comeBack) left.push(await pairs[pair](how === 'together'));
      await net.mine(1);
      allGave = Promise.all(left.map((swap) => swap.gave()));
      allGave.catch(() => undefined);
    }, limitMs);
    afterAll(async () => {
      await oracle?.stop();
      await esplora?.stop();
      await stage?.stop();
      await evm?.stop();
    });

    // Most of the time each waits for the node's next look at the Bitcoin chain.
    describe('claimed', () => {
      test.concurrent.each(arrive.map((row, i) => [...row, i] as const))(
        '%s, %s: both networks say that it is done',
        async (_pair, _how, ends, i) => expect(await claimed[i]?.arrives()).toEqual(ends),
        limitMs,
      );
    });

    describe('claimed by nobody', () => {
      test.concurrent.each(comeBack.map((row, i) => [...row, i] as const))(
        '%s, %s: both have theirs again',
        async (_pair, _how, ends, i) => {
          await allGave;
          expect(await left[i]?.comesBack()).toEqual(ends);
        },
        limitMs,
      );
    });

    test(
      'not one satoshi nor a unit of a token is unaccounted for',
      async () => {
        const expected = await moved(stage, claimed, left);
        const books = async () => {
          const after = await oracle.books();
          const { balances } = await stage.node.owner('GET', '/owner/balances');
          const wallet = (balances as Json[]).find(({ network }) => network === 'bitcoin');
          return {
            lightning: after.lightningMsat - before.lightningMsat,
            theirs: after.theirLightningMsat - before.theirLightningMsat,
            arkade: after.arkade - before.arkade,
            evm: (await evm.balance(evm.pegged, account)) - tokens,
            // Left out while it was not read yet.
            bitcoin: BigInt(String(wallet?.['available'] ?? -1)) - coins.amount * BigInt(coins.count),
            pending: String(wallet?.['pending'] ?? -1),
            left: await Promise.all([evm.htlc, evm.coordinator].map((one) => evm.balance(evm.pegged, one))),
          };
        };
        await stage.net.mine(6);
        const same = {
          lightning: expected.lightning * 1_000n,
          theirs: expected.lightning * -1_000n,
          arkade: expected.arkade,
          evm: expected.evm,
          bitcoin: expected.bitcoin,
          pending: '0',
          left: [0n, 0n],
        };
        // What is mined shows in the wallet at the node's next look.
        await expect.poll(books, { timeout: 60_000, interval: 500 }).toEqual(same);
      },
      limitMs,
    );
  },
  // What geth's clock has to come to takes minutes.
  { short: 'btcd' },
);

type Network = 'lightning' | 'arkade' | 'bitcoin' | 'evm';

/** What the swaps brought the node on each network, by their records and by what it says that miners were paid. */
async function moved(
  { node }: Stage,
  claimed: readonly PaidSwap[],
  left: readonly PaidSwap[],
): Promise<Record<Network, bigint>> {
  const sums: Record<Network, bigint> = { lightning: 0n, arkade: 0n, bitcoin: 0n, evm: 0n };
  for (const { id } of claimed) {
    const record = await node.get(`/swap/${id}`);
    const [source, target] = text(record, 'direction').split('_to_') as [Network, Network];
    const amountOn = (network: Network, name: string) =>
      BigInt(text(record, network === 'evm' ? 'evm_expected_sats' : name));
    sums[source] += amountOn(source, 'source_amount');
    sums[target] -= amountOn(target, 'target_amount');
  }
  for (const { id } of [...claimed, ...left]) {
    const { ledger } = await node.owner('GET', `/owner/swaps/${id}`);
    for (const { kind, network, amount } of ledger as Json[])
      if (kind === 'network-fee-paid' && network === 'bitcoin') sums.bitcoin += BigInt(String(amount));
  }
  return sums;
}
