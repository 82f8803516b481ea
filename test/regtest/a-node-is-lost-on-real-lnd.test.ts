import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Received, Sent } from '../stories/client/client.ts';
import { evmToLightning, fundAlone } from '../stories/client/from-evm.ts';
import { text, whole, type Json } from '../stories/client/http.ts';
import { evmToBitcoin } from '../stories/client/to-bitcoin.ts';
import { eventually } from '../stories/wire-node.ts';
import { onEachPairOfStage } from './arkd/stage.ts';
import { handsOn, type BitcoinHands } from './kit/bitcoin-chain.ts';
import { allLocktimes, offered, shortLegs } from './kit/bitcoin-stage.ts';
import { startEvmChain, type EvmChainOfStage } from './kit/evm-chain.ts';
import { lightningWallet, type LightningWallet } from './kit/lightning-wallet.ts';
import { loseNode, type LostNode } from './kit/lost-node.ts';
import { openOracle, type Books, type Oracle } from './kit/oracle.ts';
import { depositTo, openStage, type Stage } from './kit/stage.ts';

const amounts = { claimed: 50_000, unclaimed: 30_000, paid: 40_000, tokens: 35_000, bitcoin: 60_000 } as const;
/** Payment invoices ask for locks of a day and more, and what nobody claims can be waited out all the same. */
const legs = { ...shortLegs, longestLegSeconds: 604_800 };
const patienceMs = 120_000;
const limitMs = 600_000;

onEachPairOfStage(
  'a node is lost, and its lnd and its chains live on',
  (over) => {
    let evm: EvmChainOfStage;
    let stage: Stage;
    let btc: BitcoinHands;
    let oracle: Oracle;
    let before: Books;
    let ours: LightningWallet;
    let lost: LostNode;
    /**
     * Payments to our lnd, which holds them: the client takes the coin of the first once the node is dead, nobody that
     * of the second.
     */
    let [claimed, unclaimed]: { swap: Received; hash: string }[] = [];
    /** Payments of our lnd, which their payee keeps until the node is dead: for a coin on Arkade, and for tokens. */
    let paid: { swap: Sent; hash: string; secret: string };
    let tokens: { hash: string; secret: string };
    /** What we locked on Bitcoin. */
    let locked: { txid: string; vout: number };

    const soon = (): number => Math.floor(Date.now() / 1_000) + 3_600;
    const mine = () => stage.net.mine(1);

    async function receiving(source: number): Promise<{ swap: Received; hash: string }> {
      const swap = await stage.client.lightningToArkade({ source });
      const hash = stage.wallet.pay(swap.bolt11);
      await stage.reached(swap, 'serverfunded');
      return { swap, hash };
    }

    async function held(hash: string): Promise<void> {
      await eventually(
        () => stage.wallet.invoiceState(hash),
        (state) => state === 'held',
        patienceMs,
      );
    }

    async function sending(): Promise<typeof paid> {
      const invoice = await stage.wallet.invoice(amounts.paid, 'held');
      const swap = await stage.client.arkadeToLightning(invoice.bolt11);
      await stage.operator.faucet(swap.vhtlc.address, swap.price);
      await held(invoice.hash);
      return { ...invoice, swap };
    }

    async function sendingTokens(): Promise<typeof tokens> {
      const invoice = await stage.wallet.invoice(amounts.tokens, 'held');
      const token = evm.tokenOf('WBTC');
      const { bolt11, hash } = invoice;
      const swap = await evmToLightning(stage.node.url, { chainId: evm.chainId, token, bolt11, hash, gasless: false });
      await evm.give(swap.account.address, token, swap.price);
      await evm.give(swap.account.address, evm.coin, 10n ** 18n);
      await fundAlone(stage.node.url, swap, evm.rpcUrl, soon());
      await held(hash);
      return invoice;
    }

    async function lockedOnBitcoin(): Promise<typeof locked> {
      const token = evm.tokenOf('WBTC');
      const ask = { chainId: evm.chainId, token, gasless: false, amount: { amount_out: amounts.bitcoin } };
      await offered(stage, { source: String(evm.chainId), target: 'Bitcoin', sats: amounts.bitcoin });
      const sold = await evmToBitcoin(stage.node.url, ask);
      await evm.give(sold.account.address, token, sold.price);
      await evm.give(sold.account.address, evm.coin, 10n ** 18n);
      await fundAlone(stage.node.url, sold, evm.rpcUrl, soon());
      const record: Json = await stage.node.until(sold, 'serverfunded', patienceMs);
      return { txid: text(record, 'btc_fund_txid'), vout: whole(record, 'btc_fund_vout') };
    }

    beforeAll(async () => {
      evm = await startEvmChain(over.evm);
      stage = await openStage({ chain: evm, over: over.bitcoin, timing: legs });
      btc = handsOn(stage.net);
      ours = lightningWallet(stage.ours);
      oracle = await openOracle(stage);
      before = await oracle.books();
      // Median time past, by which locktimes are made and judged, comes up to the clock.
      await stage.net.mine(11);
      await depositTo(stage.node, stage.net, 300_000n, 4);
      locked = await lockedOnBitcoin();
      [claimed, unclaimed] = [await receiving(amounts.claimed), await receiving(amounts.unclaimed)];
      paid = await sending();
      tokens = await sendingTokens();
      await mine();
      // The bundle follows within a quarter of a second.
      await pause(1_500);
      const { socket, certFile, macaroonFile } = stage.ours;
      lost = await loseNode(stage.node, {
        under: stage.net.folder,
        entropy: stage.entropy,
        bitcoin: stage.net.node,
        settings: { arkade: { url: stage.operator.url }, lnd: { socket, certFile, macaroonFile }, evm: evm.config },
        mine,
      });
    }, limitMs);
    afterAll(async () => {
      await oracle?.stop();
      await stage?.stop();
      await evm?.stop();
    });

    test(
      'what payees and clients take after its death is claimed: the held payment, the coin, and the tokens',
      async () => {
        const { swap, hash } = claimed ?? expect.fail('nothing was paid');
        await stage.client.claim(swap);
        await stage.wallet.settle(paid.secret);
        await stage.wallet.settle(tokens.secret);
        await expect.poll(() => ours.payment(tokens.hash), { timeout: patienceMs }).toBe('settled');
        // What nobody claims on Bitcoin stays locked there by its HTLC for the present, and so do the tokens of that
        // swap.
        const all = await evm.balance(evm.pegged, evm.htlc);
        const { code, out } = await lost.rescueUntil(
          async () =>
            (await stage.wallet.payment(hash)) === 'settled' &&
            (await stage.client.arkade.unspent(paid.swap.vhtlc)).length === 0 &&
            (await evm.balance(evm.pegged, evm.htlc)) < all,
        );
        expect(code, out).toBe(1);
      },
      limitMs,
    );

    test(
      'its operator dead too, bitcoin comes back, and no payment whose coin could be claimed is given back',
      async () => {
        await stage.net.miner.warp(allLocktimes);
        const life = stage.operator.life ?? expect.fail('it is not ours to kill');
        await life.kill();
        const alone = await lost.rescue('--operator-gone');
        expect(await btc.waitingSpend(locked), alone.out).toEqual(expect.any(String));
        expect(await stage.wallet.payment(unclaimed?.hash ?? ''), alone.out).toBe('in-flight');
        await life.start();
      },
      limitMs,
    );

    test(
      'once the coin that nobody claimed is back, its payment is given back, and all is home',
      async () => {
        await stage.net.mine(6);
        const { out } = await lost.rescueUntil(async ({ code }) => code === 0);
        const { swap, hash } = unclaimed ?? expect.fail('nothing was paid');
        await expect.poll(() => stage.wallet.payment(hash), { timeout: patienceMs }).toBe('failed');
        expect(await stage.client.arkade.unspent(swap.vhtlc), out).toEqual([]);
        const after = await oracle.books();
        const msat = (sats: number) => BigInt(sats) * 1_000n;
        expect(after.lightningMsat - before.lightningMsat).toBe(
          msat(amounts.claimed) - msat(amounts.paid) - msat(amounts.tokens),
        );
      },
      limitMs,
    );
  },
  { short: 'none' },
);
