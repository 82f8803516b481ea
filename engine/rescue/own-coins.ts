import { PortFailure } from '../domain/errors.ts';
import { outpointKey, sameOutpoint } from '../domain/outpoint.ts';
import { seconds, unix, type Unix } from '../domain/time.ts';
import { buried } from '../legs/onchain/depth.ts';
import type { ChainTip } from '../legs/onchain/port.ts';
import { minedAt, slowBlock } from '../runtime/networks/onchain/transactions.ts';
import { arkadeOf, bitcoinOf, type Ports } from '../runtime/ports.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { ExitCandidate } from '../service/exits/jobs.ts';
import { openExit } from '../service/exits/onchain-recovery.ts';
import { moment, type Done } from './leg.ts';
import { operatorTrouble, type Troubles } from './troubles.ts';
import { ownCoinsOf, type OwnExitPathCoin, type ExitPaths } from './exit-paths.ts';

export interface LookAtCoins {
  readonly ports: Ports;
  readonly exitPaths: ExitPaths;
  readonly troubles: Troubles;
  /** They leave an operator that serves, too: their owner wants them on the chain. */
  readonly unroll: boolean;
}

/** Coins that came to the chain in one block, under one delay: they are ripe together. */
interface Group {
  readonly coins: readonly OwnExitPathCoin[];
  readonly height: number;
  readonly exitDelay: number;
}

/**
 * Coins of the Arkade wallet that leave an operator that is gone, and those that lie on the chain and go to the Bitcoin
 * wallet once their delay is over. Those of an operator that serves stay with it.
 */
export interface OwnCoins {
  readonly exiting: readonly OwnExitPathCoin[];
  readonly there: readonly Group[];
}

export async function lookAtCoins(options: LookAtCoins): Promise<OwnCoins> {
  const { ports, exitPaths } = options;
  const own = ownCoinsOf(exitPaths);
  if (own.length === 0 || ports.bitcoin === null) return { exiting: [], there: [] };
  const bitcoin = bitcoinOf(ports);
  const { height } = await bitcoin.tip();
  const groups = new Map<string, Group>();
  const away: OwnExitPathCoin[] = [];
  for (const coin of own) {
    const mined = (await bitcoin.transaction(coin.outpoint.txid))?.height ?? null;
    if (mined === null) away.push(coin);
    else if (!buried((await bitcoin.spend(coin.outpoint))?.height ?? null, height)) {
      const { exitDelay } = coin.under;
      const key = `${mined} ${exitDelay}`;
      groups.set(key, { height: mined, exitDelay, coins: [...(groups.get(key)?.coins ?? []), coin] });
    }
  }
  return { exiting: away.length === 0 ? [] : await leavers(away, options), there: [...groups.values()] };
}

/** Those that do not stay with their operator. */
async function leavers(
  coins: readonly OwnExitPathCoin[],
  { ports, troubles, unroll }: LookAtCoins,
): Promise<readonly OwnExitPathCoin[]> {
  try {
    const listed = await arkadeOf(ports).coinsAt(coins.map(({ outpoint }) => outpoint));
    troubles.over(operatorTrouble);
    if (!unroll) return [];
    // What was spent since the bundle was written is no coin any more, and an expired one only a batch can move.
    const whole = listed.filter(({ spent, recoverable }) => !spent && !recoverable);
    return coins.filter(({ outpoint }) => whole.some((coin) => sameOutpoint(coin.outpoint, outpoint)));
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    troubles.note(operatorTrouble, (await bitcoinOf(ports).tip()).mtp);
    return coins;
  }
}

/** How many there are, and what they hold. */
export function sumOf({ exiting, there }: OwnCoins): { readonly coins: number; readonly sats: bigint } {
  const all = [...exiting, ...there.flatMap(({ coins }) => coins)];
  return { coins: all.length, sats: all.reduce((sum, { amount }) => sum + amount, 0n) };
}

export function candidateOf({ outpoint, expiresAt, under }: OwnExitPathCoin, unroll: boolean): ExitCandidate {
  const { exitDelay } = under;
  return {
    coin: outpoint,
    swap: null,
    whose: 'wallet',
    distrusted: unroll,
    delay: seconds(exitDelay < 512 ? exitDelay * slowBlock : exitDelay),
    deadline: expiresAt,
  };
}

/** A group that goes home by a job of the runtime; null where a spend of ours waits to be buried already. */
export interface Sweep {
  readonly group: Group;
  readonly job: string | null;
}

/**
 * Tried by sending it: whether a relative delay is over only the chain can tell. A spend of ours that waits is not made
 * again.
 */
export async function sweepThere(groups: readonly Group[], runtime: Runtime): Promise<readonly Sweep[]> {
  const sweeps: Sweep[] = [];
  for (const group of groups) {
    const left: OwnExitPathCoin[] = [];
    for (const coin of group.coins) if ((await bitcoinOf(runtime.ports).spend(coin.outpoint)) === null) left.push(coin);
    const coins = left.map(({ outpoint, amount, under }) => ({ outpoint, amount, ...under }));
    sweeps.push({ group: { ...group, coins: left }, job: left.length === 0 ? null : openExit(runtime, { coins }) });
  }
  return sweeps;
}

/** What came of it, as far as the run went. */
export function sweepDone({ group, job }: Sweep, runtime: Runtime, reason: string | null, tip: ChainTip): Done {
  const progress = job === null ? null : runtime.workingSet.find(job)?.row.progress;
  if (progress === null || progress === undefined)
    return { is: 'later', sentence: `${group.coins.length} coins are sent home, and wait to be buried` };
  const amount = group.coins.reduce((all, coin) => all + coin.amount, 0n);
  const txid = 'txid' in progress ? String(progress.txid) : null;
  if (progress.at === 'failed' && 'reason' in progress)
    return { is: 'failed', sentence: `${amount} sats could not be sent home: ${String(progress.reason)}` };
  if (txid !== null && runtime.store.transactions.byId(txid)?.state === 'accepted')
    return { is: 'later', sentence: `${amount} sats are sent home with ${txid}, and wait to be buried` };
  const at = ripeFrom(group, tip);
  return {
    is: 'later',
    at,
    sentence:
      `${amount} sats lie on the chain until their delay is over, about ${moment(at)}` +
      (reason === null ? '' : `: ${reason}`),
  };
}

function ripeFrom({ height, exitDelay }: Group, tip: ChainTip): Unix {
  const at = minedAt(height, tip) + (exitDelay < 512 ? exitDelay * slowBlock : exitDelay);
  return unix(Math.max(at, tip.mtp + slowBlock));
}

export function coinName({ outpoint, amount }: OwnExitPathCoin): string {
  return `${outpointKey(outpoint)} of ${amount} sats`;
}
