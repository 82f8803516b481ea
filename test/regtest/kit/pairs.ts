import { expect } from 'vitest';
import {
  bitcoinToLightning,
  refundTogether,
  signServerClaim,
  takeBitcoinBack,
  takeHtlcBack,
} from '../../stories/client/from-bitcoin.ts';
import { collabRefund, fundGasless, signedRefund } from '../../stories/client/from-evm.ts';
import { sendBitcoin } from '../../stories/client/esplora.ts';
import { text, whole, type Json } from '../../stories/client/http.ts';
import { evmToArkade } from '../../stories/client/to-arkade.ts';
import {
  arkadeToBitcoin,
  claimHtlc,
  claimTogether,
  lightningToBitcoin,
  type ToHtlc,
} from '../../stories/client/to-bitcoin.ts';
import { bitcoinToEvm, claimGasless, lightningToEvm, type ClaimedOnEvm } from '../../stories/client/to-evm.ts';
import { eventually } from '../../stories/wire-node.ts';
import type { EvmChainOfStage } from './evm-chain.ts';
import type { Sights } from './sights.ts';
import type { Stage } from './stage.ts';

/** How both legs of a swap ended, each as its network tells it. */
export interface Ends {
  readonly source: string;
  readonly target: string;
}

/** A swap of a plain client that has paid. */
export interface PaidSwap {
  readonly id: string;
  /** Takes what the service gave for it; resolves once the service has its own. */
  arrives(): Promise<Ends>;
  /** Resolves once the service has locked or is paying: a clock that moves before would have it give nothing. */
  gave(): Promise<unknown>;
  /** Takes nothing, or its payee does not; resolves once both have theirs again. */
  comesBack(): Promise<Ends>;
}

export interface PairsOn {
  readonly stage: Stage;
  readonly evm: EvmChainOfStage;
  readonly esplora: string;
  readonly sights: Sights;
  readonly sats: number;
}

const patienceMs = 120_000;
/** Confirmations of what is final. */
const buried = 6;

export type PairOfKit = keyof ReturnType<typeof pairsOn>;

/**
 * By the name of the pair, which opens one with the node and pays for it. `together`: where its HTLC has the key of
 * both, whether it is claimed by that, and comes back by that, or by the script.
 */
export function pairsOn({ stage, evm, esplora, sights, sats }: PairsOn) {
  const { net, node, wallet, client, operator } = stage;
  const { url } = node;
  const at = (id: string, status: string) => node.until({ id }, status, patienceMs);
  const amount = { target_amount_sats: sats };
  const hashOf = (record: Json) => text(record, 'evm_hash_lock' in record ? 'evm_hash_lock' : 'hash_lock').slice(2);
  const funded = (record: Json) => ({ txid: text(record, 'btc_fund_txid'), vout: whole(record, 'btc_fund_vout') });

  let last: Promise<unknown> = Promise.resolve();
  /** Blocks come one after the other, whoever wants them: two at once would be two branches. */
  function inTurn(act: () => Promise<unknown>): Promise<unknown> {
    const turn = last.then(act);
    last = turn.catch(() => undefined);
    return turn;
  }
  const mine = (blocks: number) => inTurn(() => net.mine(blocks));
  const mineTo = (height: number) => inTurn(async () => net.mine(Math.max(0, height - (await net.height()))));
  /** Median time past is above a moment, unix seconds. */
  const warpTo = (moment: number) =>
    inTurn(async () => {
      if ((await net.miner.medianTime()) <= moment) await net.miner.warp(moment + 1 - Math.floor(Date.now() / 1_000));
    });

  async function payment(hash: string, ends: 'settled' | 'failed'): Promise<string> {
    // The payer hears of it a moment after the payee's lnd does.
    return eventually(
      () => wallet.payment(hash),
      (state) => state === ends,
      patienceMs,
    );
  }

  async function payOnChain(record: Json, price: number) {
    const { txid } = await net.faucet.pay([{ to: text(record, 'btc_htlc_address'), amount: BigInt(price) }]);
    return { txid, vout: 0, amount: BigInt(price) };
  }

  /** Until its lock is above its time, and our refund of it is sent. */
  async function lockComesBack({ id, record }: ClaimedOnEvm, status: string): Promise<Json> {
    await evm.reach(whole(record, 'evm_refund_locktime'));
    return at(id, status);
  }

  async function claimedThere(swap: ClaimedOnEvm): Promise<void> {
    await at(swap.id, 'serverfunded');
    const { status, body } = await claimGasless(url, swap);
    if (status !== 200) throw new Error(`the claim is refused with ${status}: ${JSON.stringify(body)}`);
  }

  /** Both transactions of our lock are named in the record. */
  const lockOf = (record: Json, more: readonly string[] = []) =>
    sights.lock(hashOf(record), [text(record, 'evm_fund_txid'), ...more]);

  async function redeemedFor({ record, destination }: ClaimedOnEvm, last: Json): Promise<string> {
    const { token_id } = record['target_token'] as { token_id: string };
    expect(await evm.balance(token_id, destination)).toBe(BigInt(text(record, 'target_amount')));
    return lockOf(last, [text(last, 'evm_claim_txid')]);
  }

  /** Mines to the height at which our HTLC can be taken back; resolves once that is buried. */
  async function htlcComesBack({ id }: ToHtlc, status: string): Promise<string> {
    const record = await at(id, 'serverfunded');
    await mineTo(whole(record, 'btc_refund_locktime'));
    const end = await sights.coin(funded(record), hashOf(record));
    await mine(buried);
    await at(id, status);
    return end;
  }

  /** By the key of both, or alone by the script: the service has its own before it is in a block. */
  async function htlcClaimed(swap: ToHtlc, together: boolean): Promise<string> {
    const record = await at(swap.id, 'serverfunded');
    if (together) {
      const { raw } = await claimTogether(url, esplora, { swap, record });
      await at(swap.id, 'serverredeemed');
      await sendBitcoin(esplora, raw);
    } else {
      await claimHtlc(esplora, swap, record);
      await at(swap.id, 'serverredeemed');
    }
    return sights.coin(funded(record), hashOf(record));
  }

  return {
    async 'lightning-evm'(): Promise<PaidSwap> {
      const wish = { chainId: evm.chainId, token: evm.tokenOf('WBTC'), amount: { amount_in: sats } };
      const swap = await lightningToEvm(url, wish);
      const hash = wallet.pay(swap.bolt11);
      return {
        id: swap.id,
        gave: () => at(swap.id, 'serverfunded'),
        async arrives() {
          await claimedThere(swap);
          const last = await at(swap.id, 'serverredeemed');
          return { source: await payment(hash, 'settled'), target: await redeemedFor(swap, last) };
        },
        async comesBack() {
          const last = await lockComesBack(swap, 'clientrefundedserverrefunded');
          return { source: await payment(hash, 'failed'), target: await lockOf(last) };
        },
      };
    },
    async 'bitcoin-evm'(): Promise<PaidSwap> {
      const wish = { chainId: evm.chainId, token: evm.tokenOf('WBTC'), amount: { amount_in: sats } };
      const swap = await bitcoinToEvm(url, wish);
      const coin = await payOnChain(swap.record, swap.price);
      const coinEnd = () => sights.coin(coin, hashOf(swap.record));
      return {
        id: swap.id,
        gave: () => at(swap.id, 'serverfunded'),
        async arrives() {
          await claimedThere(swap);
          const source = await coinEnd();
          await mine(1);
          return { source, target: await redeemedFor(swap, await at(swap.id, 'serverredeemed')) };
        },
        async comesBack() {
          const last = await lockComesBack(swap, 'clientfundedserverrefunded');
          const early = await takeBitcoinBack(esplora, swap, coin).catch(String);
          expect(early).toMatch(/not finalized|non-final/);
          await warpTo(whole(swap.record, 'btc_refund_locktime'));
          await takeBitcoinBack(esplora, swap, coin);
          await mine(1);
          await at(swap.id, 'clientrefundedserverrefunded');
          return { source: await coinEnd(), target: await lockOf(last) };
        },
      };
    },
    async 'evm-arkade'(): Promise<PaidSwap> {
      const wish = { chainId: evm.chainId, token: evm.tokenOf('USDC'), gasless: true, amount: { amount_out: sats } };
      const swap = await evmToArkade(url, client, wish);
      await evm.give(swap.account.address, evm.tokenOf('USDC'), 2n * swap.price);
      const soon = Math.floor(Date.now() / 1_000) + 3_600;
      const { status, body } = await eventually(
        () => fundGasless(url, swap, soon),
        (reply) => reply.status !== 503, // It says: ask again.
        patienceMs,
      );
      if (status !== 200) throw new Error(`the funding is refused with ${status}: ${JSON.stringify(body)}`);
      const lock = (last: Json) => lockOf(last, [text(last, 'evm_claim_txid')]);
      return {
        id: swap.id,
        async gave() {
          await at(swap.id, 'serverfunded');
          await expect(signedRefund(url, swap)).rejects.toThrow(/403/);
        },
        async arrives() {
          await at(swap.id, 'serverfunded');
          await client.arkade.claim(swap.vhtlc, swap.secret);
          const last = await at(swap.id, 'serverredeemed');
          return { source: await lock(last), target: await sights.vhtlc(last) };
        },
        async comesBack() {
          await warpTo(whole(swap.record, 'vhtlc_refund_locktime'));
          await at(swap.id, 'clientfundedserverrefunded');
          const answer = await collabRefund(url, swap, await signedRefund(url, swap));
          expect(answer.status).toBe(200);
          const last = await at(swap.id, 'clientrefundedserverrefunded');
          return { source: await lock(last), target: await sights.vhtlc(last) };
        },
      };
    },
    async 'lightning-bitcoin'(together = true): Promise<PaidSwap> {
      const swap = await lightningToBitcoin(url, { amount });
      const hash = wallet.pay(swap.bolt11);
      return {
        id: swap.id,
        gave: () => at(swap.id, 'serverfunded'),
        async arrives() {
          const target = await htlcClaimed(swap, together);
          return { source: await payment(hash, 'settled'), target };
        },
        async comesBack() {
          const target = await htlcComesBack(swap, 'clientrefundedserverrefunded');
          return { source: await payment(hash, 'failed'), target };
        },
      };
    },
    async 'arkade-bitcoin'(together = true): Promise<PaidSwap> {
      const swap = await arkadeToBitcoin(url, client, { amount });
      await operator.faucet(swap.vhtlc.address, swap.price);
      const vhtlc = () => sights.vhtlc(swap.record);
      return {
        id: swap.id,
        gave: () => at(swap.id, 'serverfunded'),
        async arrives() {
          const target = await htlcClaimed(swap, together);
          return { source: await vhtlc(), target };
        },
        async comesBack() {
          const target = await htlcComesBack(swap, 'clientfundedserverrefunded');
          await client.collabRefund(swap);
          await at(swap.id, 'clientrefundedserverrefunded');
          return { source: await vhtlc(), target };
        },
      };
    },
    async 'bitcoin-lightning'(together = true): Promise<PaidSwap> {
      const { bolt11, hash, secret } = await wallet.invoice(sats, 'held');
      const swap = await bitcoinToLightning(url, { bolt11, ...(together ? { signs: true } : {}) });
      const coin = await payOnChain(swap.record, swap.price);
      const held = () =>
        eventually(
          () => wallet.invoiceState(hash),
          (state) => state === 'held',
          patienceMs,
        );
      return {
        id: swap.id,
        gave: held,
        async arrives() {
          await held();
          await wallet.settle(secret);
          if (together) {
            await at(swap.id, 'clientredeemed');
            await eventually(
              () => signServerClaim(url, { swap, coin }).catch(String),
              (refusal) => refusal === undefined, // Until it has a claim to sign.
              patienceMs,
            );
          }
          const source = await sights.coin(coin, hash);
          await mine(1);
          await at(swap.id, 'serverredeemed');
          return { source, target: await wallet.invoiceState(hash) };
        },
        async comesBack() {
          await wallet.cancel(hash);
          await at(swap.id, 'serverwontfund');
          if (together) await refundTogether(url, esplora, { swap, coin });
          else {
            const early = await takeHtlcBack(esplora, swap, coin).catch(String);
            expect(early).toMatch(/not finalized|non-final/);
            await mineTo(whole(swap.record, 'btc_refund_locktime'));
            await takeHtlcBack(esplora, swap, coin);
          }
          const source = await sights.coin(coin, hash);
          await mine(buried);
          await at(swap.id, 'clientrefunded');
          return { source, target: await wallet.invoiceState(hash) };
        },
      };
    },
  };
}
