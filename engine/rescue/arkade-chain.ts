import type { BitcoinNetwork } from '../domain/chain.ts';
import type { Preimage } from '../domain/hash.ts';
import { sameBytes } from '../domain/hash.ts';
import { sats } from '../domain/money.ts';
import { sameOutpoint } from '../domain/outpoint.ts';
import { unix } from '../domain/time.ts';
import type { SeenCoin } from '../legs/arkade/events.ts';
import { vhtlcOutput } from '../legs/arkade/script.ts';
import { scriptOfAddress } from '../legs/onchain/address.ts';
import type { RescueLeg } from '../legs/rescue.ts';
import { withSpend } from '../runtime/networks/arkade/spends.ts';
import { believedRate } from '../runtime/networks/onchain/fee-rate.ts';
import { minedAt } from '../runtime/networks/onchain/transactions.ts';
import { arkadeOf, bitcoinOf, bitcoinWalletOf, type Ports } from '../runtime/ports.ts';
import type { Done } from './leg.ts';
import type { ExitPathCoin, ExitPaths } from './exit-paths.ts';

/*
 * A coin at an operator as the chain shows it, for looks, and its way home from there for who has no machine that goes
 * on (`leg.ts`): the node's own act tells what comes of it to a swap with states.
 */

type Leg = Extract<RescueLeg, { on: 'arkade' }>;

/** Blocks within which what left the operator is to be mined. */
const within = 3;

/** Of the Bitcoin wallet: what left the operator is found there by any wallet of the seed. */
export async function ownScript(ports: Ports, network: BitcoinNetwork): Promise<Uint8Array> {
  const script = scriptOfAddress(await bitcoinWalletOf(ports).address(), network);
  if (script === null) throw new Error('an address of the Bitcoin wallet is none of its network');
  return script;
}

/** The coin of a leg among those whose way to the chain was saved. */
export function savedCoin({ terms, coin, amount }: Leg, exitPaths: ExitPaths): ExitPathCoin | null {
  const { pkScript } = vhtlcOutput(terms);
  const own = exitPaths.coins.find(
    (one) =>
      sameBytes(one.script, pkScript) && (coin === null ? one.amount === amount : sameOutpoint(one.outpoint, coin)),
  );
  return own ?? null;
}

/**
 * What the chain shows of a coin whose operator does not tell the truth, or nothing: on it, spent there, or not there
 * yet.
 */
export async function coinByChain({ terms }: Leg, saved: ExitPathCoin, ports: Ports): Promise<SeenCoin> {
  const bitcoin = bitcoinOf(ports);
  const unrolled = ((await bitcoin.transaction(saved.outpoint.txid))?.height ?? null) !== null;
  const coin = {
    outpoint: saved.outpoint,
    script: saved.script,
    amount: saved.amount,
    createdAt: unix(0),
    expiresAt: saved.expiresAt,
    recoverable: false,
    unrolled,
    spent: false,
    spentIn: null,
    spentBy: null,
    settledBy: null,
  };
  const reading = { terms, key: null, spends: new Map(), final: new Set<string>(), unread: new Map() };
  return withSpend(reading, coin, { spenders: new Map(), arkade: arkadeOf(ports), bitcoin });
}

/** By the leaf that needs nobody else, after its delay since the coin was mined. */
export async function takeOnChain(
  { terms, key }: Leg,
  coin: SeenCoin,
  secret: Preimage | null,
  { ports, network }: { readonly ports: Ports; readonly network: BitcoinNetwork },
): Promise<Done> {
  const bitcoin = bitcoinOf(ports);
  const made = await arkadeOf(ports).prepareExit({
    terms,
    key,
    coin: { ...coin.outpoint, amount: sats(coin.amount) },
    to: await ownScript(ports, network),
    feeRate: await believedRate(bitcoin, { within, doubtAbove: 0, late: secret !== null }),
    ...(secret === null ? { purpose: 'refund' } : { purpose: 'claim', preimage: secret }),
  });
  const answer = await bitcoin.broadcast(made.bytes);
  if (answer.is === 'accepted')
    return { is: 'later', sentence: `sent on the chain with ${made.txid}, and waits for its first block` };
  if (answer.is === 'refused') return { is: 'failed', sentence: `the chain does not take it: ${answer.reason}` };
  return (
    (await delayOf(terms, coin, { secret: secret !== null, ports })) ?? {
      is: 'later',
      sentence: `the chain does not take it yet: ${answer.reason}`,
    }
  );
}

/** A coin on the chain waits for the delay of its leaf; null once that is over, or while it is in no block. */
export async function delayOf(
  terms: Leg['terms'],
  coin: SeenCoin,
  { secret, ports }: { readonly secret: boolean; readonly ports: Ports },
): Promise<Done | null> {
  const bitcoin = bitcoinOf(ports);
  const mined = (await bitcoin.transaction(coin.outpoint.txid))?.height ?? null;
  const tip = await bitcoin.tip();
  const delay = secret ? terms.claimDelay : terms.refundWithoutReceiverDelay;
  const at = mined === null ? null : unix(minedAt(mined, tip) + delay);
  if (at === null || at <= tip.mtp) return null;
  return { is: 'later', sentence: `it lies on the chain, where its delay of ${delay} seconds has to pass`, at };
}
