import type { BitcoinNetwork } from '../domain/chain.ts';
import type { Preimage } from '../domain/hash.ts';
import { asPreimage } from '../domain/hash.ts';
import { sats } from '../domain/money.ts';
import { sameOutpoint } from '../domain/outpoint.ts';
import type { SeenCoin } from '../legs/arkade/events.ts';
import type { ArkadePort } from '../legs/arkade/port.ts';
import { vhtlcScript } from '../legs/arkade/script.ts';
import { preimageIn } from '../legs/arkade/spend.ts';
import type { PreparedArkTx } from '../legs/arkade/transaction.ts';
import { scriptOfAddress } from '../legs/onchain/address.ts';
import { buried } from '../legs/onchain/depth.ts';
import type { RescueLeg } from '../legs/rescue.ts';
import { preimageMatches } from '../legs/secret.ts';
import { unreadSpenders, withSpend, type Reading } from '../runtime/networks/arkade/spends.ts';
import { believedRate } from '../runtime/networks/onchain/fee-rate.ts';
import { arkadeOf, bitcoinOf, bitcoinWalletOf, type Ports } from '../runtime/ports.ts';
import type { Done, LegHand, LegLook } from './leg.ts';

type Leg = Extract<RescueLeg, { on: 'arkade' }>;

/** Blocks within which what left the operator is to be mined. */
const within = 3;

/** VHTLCs at the operator, and their coins that somebody brought to the chain. */
export function arkadeHand(ports: Ports, network: BitcoinNetwork, signal: AbortSignal): LegHand<Leg> {
  const arkade = (): ArkadePort => arkadeOf(ports);

  async function coinOf({ terms, key, coin, amount }: Leg, side: 'claim' | 'refund'): Promise<SeenCoin | null> {
    const reading: Reading = { terms, key: side === 'refund' ? key : null, spends: new Map(), unread: new Map() };
    const coins = await arkade().coins([vhtlcScript(terms).pkScript]);
    const own = coins.find((one) => (coin === null ? one.amount === amount : sameOutpoint(one.outpoint, coin)));
    if (own === undefined) return null;
    const spenders = await arkade().virtualTxs(unreadSpenders([{ one: reading, coins: [own] }]));
    return withSpend(reading, own, { spenders, arkade: arkade(), bitcoin: ports.bitcoin });
  }

  /** A claim of the client's that waits for a round shows its secret, and nothing else does once the coin has expired. */
  async function queued({ terms, key }: Leg, coin: SeenCoin): Promise<Preimage | null> {
    const waiting = await arkade().waiting({ terms, key, coins: [coin], where: 'queue' });
    return waiting.map((bytes) => preimageIn(terms.hash, bytes)).find((one) => one !== null) ?? null;
  }

  function prepare({ terms, key }: Leg, coin: SeenCoin, secret: Preimage | null): Promise<PreparedArkTx> {
    return secret === null
      ? arkade().prepareRefund({ terms, key, coins: [coin] })
      : arkade().prepareClaim({ terms, key, coins: [coin], preimage: secret });
  }

  async function stateOf(leg: Leg, coin: SeenCoin, side: 'claim' | 'refund'): Promise<LegLook['state']> {
    const { spend, onChain } = coin;
    if (!coin.spent && spend === null) {
      const secret = side === 'refund' && !coin.unrolled ? await queued(leg, coin) : null;
      return secret === null ? { is: 'standing' } : { is: 'claimed', secret, final: false };
    }
    if (spend === 'hidden')
      return { is: 'unclear', reason: 'a batch took the expired coin, and whose that was is not shown' };
    if (spend === 'unknown' || spend === null)
      return { is: 'unclear', reason: 'the operator calls it spent and does not show by what' };
    const height = onChain === undefined ? null : (await bitcoinOf(ports).tip()).height;
    const settled = onChain === undefined || buried(onChain.height, height);
    if (spend.leaf === 'claim') {
      const secret = preimageMatches(leg.terms.hash, spend.preimage) ?? asPreimage(spend.preimage);
      return { is: 'claimed', secret, final: settled && (side === 'refund' || (await isFinal(leg, coin, secret))) };
    }
    return {
      is: 'refunded',
      final: settled && (side === 'claim' || spend.leaf === 'refund' || (await isFinal(leg, coin, null))),
    };
  }

  /** What we sent and never finished is nobody's: made again it is the same transaction, which goes on. */
  async function isFinal(leg: Leg, coin: SeenCoin, secret: Preimage | null): Promise<boolean> {
    if (coin.unrolled || coin.spentIn === null) return true;
    const prepared = await prepare(leg, coin, secret);
    return prepared.txid !== coin.spentIn || (await arkade().state(prepared.bytes)) === 'final';
  }

  async function throughOperator(leg: Leg, coin: SeenCoin, secret: Preimage | null): Promise<Done> {
    const prepared = await prepare(leg, coin, secret);
    const answer = await arkade().submit(prepared.bytes);
    switch (answer.is) {
      case 'later':
        return { is: 'later', sentence: `the operator does not take it yet: ${answer.reason}` };
      case 'refused':
        return { is: 'failed', sentence: `the operator refuses it: ${answer.reason}` };
      case 'spent':
        return { is: 'later', sentence: 'it was spent meanwhile' };
      case 'recoverable':
        return throughBatch(leg, coin, secret);
      case 'unrolled':
        return { is: 'later', sentence: 'it was brought to the chain meanwhile' };
      case 'accepted':
        await arkade().finalize(answer.bytes);
        break;
      case 'final':
        break;
    }
    return { is: 'done', sentence: `done with ${prepared.txid}, to the Arkade wallet` };
  }

  async function beforeCoin({ lock }: Leg): Promise<LegLook['state']> {
    const state = lock === undefined ? 'unseen' : await arkade().state(lock);
    if (state === 'unknown')
      return { is: 'unclear', reason: 'the operator does not say whether it has the transaction that makes it' };
    return { is: state === 'accepted' ? 'begun' : 'nothing' };
  }

  async function finishLock(lock: Uint8Array): Promise<Done> {
    const answer = await arkade().submit(lock);
    if (answer.is === 'accepted') await arkade().finalize(answer.bytes);
    else if (answer.is !== 'final') return { is: 'later', sentence: `the operator says that it is ${answer.is}` };
    return { is: 'done', sentence: 'what makes it is finished, and its coins are ours again' };
  }

  async function throughBatch({ terms, key }: Leg, coin: SeenCoin, secret: Preimage | null): Promise<Done> {
    const { commitmentTxid } = await arkade().settle({
      terms,
      key,
      coins: [coin],
      ...(secret === null ? { leaf: 'refund-without-receiver' } : { leaf: 'claim', preimage: secret }),
      signal,
    });
    return { is: 'done', sentence: `done by the batch ${commitmentTxid}, to the Arkade wallet` };
  }

  /** Of the Bitcoin wallet: what left the operator is found there by any wallet of the seed. */
  async function ownScript(): Promise<Uint8Array> {
    const script = scriptOfAddress(await bitcoinWalletOf(ports).address(), network);
    if (script === null) throw new Error('an address of the Bitcoin wallet is none of its network');
    return script;
  }

  /** By the leaf that needs nobody else, after its delay since the coin was mined. */
  async function onTheChain({ terms, key }: Leg, coin: SeenCoin, secret: Preimage | null): Promise<Done> {
    const bitcoin = bitcoinOf(ports);
    const made = await arkade().prepareExit({
      terms,
      key,
      coin: { ...coin.outpoint, amount: sats(coin.amount) },
      to: await ownScript(),
      feeRate: await believedRate(bitcoin, { within, doubtAbove: 0, late: secret !== null }),
      ...(secret === null ? { purpose: 'refund' } : { purpose: 'claim', preimage: secret }),
    });
    const answer = await bitcoin.broadcast(made.bytes);
    if (answer.is === 'accepted')
      return { is: 'later', sentence: `sent on the chain with ${made.txid}, and waits for its first block` };
    return {
      is: answer.is === 'refused' ? 'failed' : 'later',
      sentence: `the chain does not take it${answer.is === 'refused' ? '' : ' yet'}: ${answer.reason}`,
    };
  }

  return {
    name: ({ amount }) => `${amount} sats in a VHTLC on Arkade`,

    async look(leg, side): Promise<LegLook> {
      const at = leg.terms.refundLocktime;
      const { mtp } = await bitcoinOf(ports).tip();
      const timelock = { at, over: mtp >= at, clock: 'the median time past of the Bitcoin chain' };
      const coin = await coinOf(leg, side);
      return { state: coin === null ? await beforeCoin(leg) : await stateOf(leg, coin, side), timelock };
    },

    async take(leg, secret) {
      const coin = await coinOf(leg, secret === null ? 'refund' : 'claim');
      if (coin === null || coin.spent) return { is: 'later', sentence: 'it has moved meanwhile' };
      if (coin.unrolled) return onTheChain(leg, coin, secret);
      return coin.recoverable ? throughBatch(leg, coin, secret) : throughOperator(leg, coin, secret);
    },

    async bringOn(leg, secret) {
      if (leg.lock !== undefined && (await coinOf(leg, 'refund')) === null) return finishLock(leg.lock);
      const coin = await coinOf(leg, secret === null ? 'refund' : 'claim');
      if (coin === null || coin.unrolled) return { is: 'later', sentence: 'it waits to be buried on the chain' };
      return throughOperator(leg, coin, secret);
    },
  };
}
