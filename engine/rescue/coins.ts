import type { BitcoinNetwork } from '../domain/chain.ts';
import { PortFailure } from '../domain/errors.ts';
import { outpointKey, sameOutpoint } from '../domain/outpoint.ts';
import { seconds, unix, type Unix } from '../domain/time.ts';
import type { OnChainCoin, WalletTerms } from '../legs/arkade/vtxo.ts';
import type { ChainTip } from '../legs/onchain/port.ts';
import { buried } from '../legs/onchain/depth.ts';
import { believedRate } from '../runtime/networks/onchain/fee-rate.ts';
import { minedAt, slowBlock } from '../runtime/networks/onchain/transactions.ts';
import { arkadeOf, bitcoinOf, type Ports } from '../runtime/ports.ts';
import { ownScript } from './arkade-chain.ts';
import type { Leaver } from './leave.ts';
import { again, moment, type Done } from './leg.ts';
import type { Outcome } from './swaps.ts';
import { operatorTrouble, type Troubles } from './troubles.ts';
import type { WayBook, WayCoin } from './ways.ts';

export interface BringCoinsHome {
  readonly ports: Ports;
  readonly network: BitcoinNetwork;
  readonly ways: WayBook;
  readonly troubles: Troubles;
  readonly leaver: Leaver;
  /** They leave an operator that serves, too: their owner wants them on the chain. */
  readonly unroll: boolean;
  readonly say: (line: string) => void;
  readonly agree: () => Promise<boolean>;
}

/** A coin of the wallet, and what the script is made of under which it lies. */
type Own = WayCoin & { readonly under: WalletTerms };

/** Coins that came to the chain in one block, under one delay: they are ripe together. */
interface Group {
  readonly coins: OnChainCoin[];
  readonly height: number;
  readonly exitDelay: number;
}

/** Blocks within which what is ripe is to be mined: nobody else can take it. */
const within = 6;

/**
 * Coins of the Arkade wallet leave an operator that is gone, by what the bundle holds of their ways, and go to the
 * Bitcoin wallet once their delay on the chain is over. Those of an operator that serves stay with it.
 */
export async function bringCoinsHome(options: BringCoinsHome): Promise<Outcome> {
  const { ports, ways, say } = options;
  const own = ways.coins.filter((coin): coin is Own => coin.under !== null && !ways.isSpent(coin.outpoint));
  if (own.length === 0 || ports.bitcoin === null) return 'done';
  try {
    const { height } = await bitcoinOf(ports).tip();
    const inBlocks: { readonly coin: Own; readonly height: number }[] = [];
    const away: Own[] = [];
    for (const coin of own) {
      const mined = (await bitcoinOf(ports).transaction(coin.outpoint.txid))?.height ?? null;
      if (mined === null) away.push(coin);
      else if (!buried((await bitcoinOf(ports).spend(coin.outpoint))?.height ?? null, height))
        inBlocks.push({ coin, height: mined });
    }
    const leaving = away.length === 0 ? [] : await leavers(away, options);
    if (inBlocks.length === 0 && leaving.length === 0) return 'done';
    const sum = [...inBlocks.map(({ coin }) => coin), ...leaving];
    say(
      `${sum.length} coins of the Arkade wallet, ${sum.reduce((all, { amount }) => all + amount, 0n)} sats, are ` +
        'to leave it, or lie on the chain.',
    );
    if (!(await options.agree())) {
      say('Nothing was done for them.');
      return 'later';
    }
    const done: Done[] = [];
    for (const group of grouped(inBlocks)) done.push(await sweep(group, options));
    for (const coin of leaving) done.push(await leave(coin, options));
    for (const { sentence } of done) say(`  ${sentence}.`);
    say(again(done.flatMap(({ at }) => (at === undefined ? [] : [at]))));
    return done.some(({ is }) => is === 'failed') ? 'failed' : 'later';
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    say(`Coins of the Arkade wallet could not be looked at: ${cause.message}.`);
    return 'later';
  }
}

/** Those that do not stay with their operator. */
async function leavers(coins: readonly Own[], { ports, troubles, unroll }: BringCoinsHome): Promise<readonly Own[]> {
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

async function leave(coin: Own, { leaver, unroll }: BringCoinsHome): Promise<Done> {
  const { exitDelay } = coin.under;
  const done = await leaver.leave(coin, {
    whose: 'wallet',
    haste: unroll,
    delay: seconds(exitDelay < 512 ? exitDelay * slowBlock : exitDelay),
    deadline: coin.expiresAt,
  });
  return { ...done, sentence: `${outpointKey(coin.outpoint)} of ${coin.amount} sats: ${done.sentence}` };
}

function grouped(coins: readonly { readonly coin: Own; readonly height: number }[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { coin, height } of coins) {
    const { outpoint, amount, under } = coin;
    const key = `${height} ${under.exitDelay}`;
    const group = groups.get(key) ?? { coins: [], height, exitDelay: under.exitDelay };
    group.coins.push({ outpoint, amount, ...under });
    groups.set(key, group);
  }
  return [...groups.values()];
}

/**
 * Tried by sending it: whether a relative delay is over only the chain can tell. A spend of ours that waits is not made
 * again.
 */
async function sweep({ coins, height, exitDelay }: Group, { ports, network }: BringCoinsHome): Promise<Done> {
  const bitcoin = bitcoinOf(ports);
  const left: OnChainCoin[] = [];
  for (const coin of coins) if ((await bitcoin.spend(coin.outpoint)) === null) left.push(coin);
  const amount = left.reduce((all, coin) => all + coin.amount, 0n);
  if (left.length === 0) return { is: 'later', sentence: `${coins.length} coins are sent home, and wait to be buried` };
  const feeRate = await believedRate(bitcoin, { within, doubtAbove: 0, late: false });
  const made = await arkadeOf(ports).prepareSweep({ coins: left, feeRate, to: await ownScript(ports, network) });
  const answer = await bitcoin.broadcast(made.bytes);
  if (answer.is === 'accepted')
    return { is: 'later', sentence: `${amount} sats are sent home with ${made.txid}, and wait to be buried` };
  const tip = await bitcoin.tip();
  const at = ripeFrom({ height, exitDelay }, tip);
  return {
    is: answer.is === 'refused' ? 'failed' : 'later',
    sentence: `${amount} sats lie on the chain until their delay is over, about ${moment(at)}: ${answer.reason}`,
    at,
  };
}

function ripeFrom({ height, exitDelay }: Pick<Group, 'height' | 'exitDelay'>, tip: ChainTip): Unix {
  const at = minedAt(height, tip) + (exitDelay < 512 ? exitDelay * slowBlock : exitDelay);
  return unix(Math.max(at, tip.mtp + slowBlock));
}
