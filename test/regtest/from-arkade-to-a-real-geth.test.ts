import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClient, type Client } from '../stories/client/client.ts';
import { text, type Json } from '../stories/client/http.ts';
import { arkadeToEvm, claimAlone, claimGasless, signedClaim, type ToEvm } from '../stories/client/to-evm.ts';
import { eventually } from '../stories/wire-node.ts';
import { openBitcoinStage, type BitcoinStage } from './kit/bitcoin-stage.ts';
import { startEvmChain, type EvmChainOfStage } from './kit/evm-chain.ts';
import { onGeth } from './kit/on-daemons.ts';

const sats = 50_000;
const patienceMs = 120_000;
const limitMs = 300_000;
/** Units of the pegged token that the node begins with. */
const tokens = 100_000_000n;
/** A lock that nobody claims can be waited out: geth's clock is the wall's. */
const timing = {
  fundingWindowSeconds: 30,
  marginSeconds: 60,
  serviceLegSeconds: 120,
  clientLegSeconds: 240,
  longestLegSeconds: 86_400,
};

onGeth(
  'from Arkade to an EVM chain that geth keeps',
  () => {
    let evm: EvmChainOfStage;
    let stage: BitcoinStage;
    let client: Client;
    /** Of the node, where its tokens are. */
    let account: string;
    const claimed: ToEvm[] = [];

    beforeAll(async () => {
      evm = await startEvmChain('geth');
      stage = await openBitcoinStage({ evm, more: { timing } });
      client = await openClient(stage.node.url, stage.operator.url);
      account = text(await stage.node.owner('POST', `/owner/wallets/evm:${evm.chainId}/address`, {}), 'address');
      await evm.give(account as `0x${string}`, evm.pegged, tokens);
      await eventually(
        () => stage.node.get('/swap-pairs'),
        ({ pairs }) => (pairs as Json[]).some(({ target }) => target === String(evm.chainId)),
        patienceMs,
      );
    }, limitMs);
    afterAll(async () => {
      await stage?.stop();
      await evm?.stop();
    });

    /** A swap whose coin is on Arkade and whose tokens are locked. */
    async function funded(symbol: string, gasless = true): Promise<ToEvm> {
      const wish = { chainId: evm.chainId, token: evm.tokenOf(symbol), amount: { amount_in: sats }, gasless };
      const swap = await arkadeToEvm(stage.node.url, client, wish);
      await stage.operator.faucet(swap.vhtlc.address, swap.price);
      await stage.node.until(swap, 'serverfunded', patienceMs);
      return swap;
    }

    async function redeemed(swap: ToEvm): Promise<void> {
      claimed.push(swap);
      await stage.node.until(swap, 'serverredeemed', patienceMs);
      expect(await client.arkade.unspent(swap.vhtlc)).toEqual([]);
    }

    const received = ({ record, destination }: ToEvm): Promise<bigint> =>
      evm.balance((record['target_token'] as { token_id: string }).token_id, destination);

    test(
      'a claim that the node relays brings the pegged token, and another one through the exchange',
      async () => {
        const [pegged, exchanged] = [await funded('WBTC'), await funded('USDC')];
        for (const swap of [pegged, exchanged]) expect((await claimGasless(stage.node.url, swap)).status).toBe(200);
        for (const swap of [pegged, exchanged]) await redeemed(swap);
        expect(await received(pegged)).toBe(BigInt(text(pegged.record, 'target_amount')));
        expect(await received(exchanged)).toBeGreaterThanOrEqual(
          (BigInt(text(exchanged.record, 'target_amount')) * 99n) / 100n,
        );
      },
      limitMs,
    );

    test(
      'asked for ten times, one claim is sent, and a node that is killed then claims when it is back',
      async () => {
        const swap = await funded('WBTC');
        const body = await signedClaim(stage.node.url, swap);
        const answers = await Promise.all(Array.from({ length: 10 }, () => claimGasless(stage.node.url, swap, body)));
        await stage.node.restart('SIGKILL');
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
        expect(new Set(answers.map((one) => one.body['tx_hash']).filter((hash) => hash !== '')).size).toBeLessThan(2);
        await redeemed(swap);
        expect(await received(swap)).toBe(BigInt(text(swap.record, 'target_amount')));
      },
      limitMs,
    );

    test(
      'a client that claims by itself while the node is dead: the node finds the preimage on the chain',
      async () => {
        const swap = await funded('WBTC', false);
        await evm.give(swap.account.address, evm.coin, 10n ** 18n);
        await stage.node.kill('SIGKILL');
        const hash = await claimAlone(evm.rpcUrl, swap);
        await stage.node.start();
        await redeemed(swap);
        expect((await stage.node.get(`/swap/${swap.id}`))['evm_claim_txid']).toBe(hash);
      },
      limitMs,
    );

    test(
      'a client that never claims: our lock comes back by its timelock, and its coin by both signatures',
      async () => {
        const swap = await funded('WBTC');
        await expect(client.cosigned(swap)).rejects.toThrow(/403/);
        await stage.node.until(swap, 'clientfundedserverrefunded', limitMs);
        const had = await client.arkade.balance();
        await client.collabRefund(swap);
        await stage.node.until(swap, 'clientrefundedserverrefunded', patienceMs);
        expect((await client.arkade.balance()) - had).toBe(swap.price);
      },
      limitMs,
    );

    test('not one unit of a token is unaccounted for', async () => {
      const paidOut = claimed.reduce((sum, { record }) => sum + BigInt(text(record, 'evm_expected_sats')), 0n);
      expect(await Promise.all([account, evm.htlc, evm.coordinator].map((of) => evm.balance(evm.pegged, of)))).toEqual([
        tokens - paidOut,
        0n,
        0n,
      ]);
    });
  },
  ['the Arkade operator of the sandbox'],
);
