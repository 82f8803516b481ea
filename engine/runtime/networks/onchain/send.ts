import { PortFailure } from '../../../domain/errors.ts';
import { sameBytes } from '../../../domain/hash.ts';
import { btcOn, less, noSats, type Sats } from '../../../domain/money.ts';
import { outpointKey, type Txid } from '../../../domain/outpoint.ts';
import type { OnchainPurpose } from '../../../legs/onchain/effects.ts';
import { failedOnchain } from '../../../legs/onchain/failures.ts';
import { buried } from '../../../legs/onchain/depth.ts';
import type { BitcoinPort, ChainSpend } from '../../../legs/onchain/port.ts';
import type { WalletCoin } from '../../../legs/onchain/wallet-coin.ts';
import type { PreparedSend } from '../../../legs/onchain/wallet-port.ts';
import { readRawTx } from '../../../legs/raw-tx.ts';
import { withdrawalCeiling } from '../../../domain/withdrawal-cost.ts';
import { NotYet } from '../../not-yet.ts';
import { feeReserveNow } from './reserve.ts';
import { isUnmade, makersOf } from './makers.ts';
import { isOurs, paidBy, takenBy } from './transactions.ts';
import { bitcoinOf, bitcoinWalletOf } from '../../ports.ts';
import type { EffectOf } from '../act.ts';
import type { OnchainContext } from './context.ts';
import { carriesFunding, unlessTaken } from '../reserved.ts';

/** Chooses wallet coins and signs the payment; nothing is sent before the commit that reserves them. */
export function prepareSend(
  { script, amount, mostFee, doubted = true, earlier = [], within }: EffectOf<'onchain.send'>,
  context: OnchainContext,
): Promise<void> {
  const most = mostFee ?? withdrawalCeiling(amount, context.ceilings());
  return context.alone('bitcoin', async () => {
    const left = await leftOf(earlier, { script, amount }, context);
    if (left.is === 'mined')
      return context.answer({
        is: 'onchain.final',
        leg: 'bitcoin',
        txid: left.txid,
        fee: await costOf(left.txid, earlier, context),
      });
    const reserved = context.store.transactions.reservedCoins();
    const promised = new Set(reserved.map(outpointKey));
    // Another payment took it meanwhile: once that one is buried, the earlier one is proven dead.
    if (left.keep.some(({ outpoint }) => promised.has(outpointKey(outpoint))))
      throw new NotYet(
        null,
        'the coin by which it stays in conflict with what was sent before is promised to another payment',
      );
    await prepared(context, 'send', () =>
      bitcoinWalletOf(context.ports).prepareSend({
        script,
        amount,
        reserved,
        mostFee: most,
        doubted,
        reserve: feeReserveNow(context.store),
        ...(left.keep.length === 0 ? {} : { keep: left.keep }),
        ...(within === undefined ? {} : { within }),
      }),
    );
  });
}

/**
 * A coin of each earlier payment that no stranger's buried transaction took or unmade, to be spent again: whoever lied
 * about its end, never both are mined. A payment with none left is dead for good; one that was mined after all is the
 * payment.
 */
async function leftOf(
  earlier: readonly (readonly WalletCoin[])[],
  to: Output,
  context: OnchainContext,
): Promise<{ is: 'left'; keep: readonly WalletCoin[] } | { is: 'mined'; txid: Txid }> {
  if (earlier.length === 0) return { is: 'left', keep: [] };
  const bitcoin = bitcoinOf(context.ports);
  const { height } = await bitcoin.tip();
  const keep = new Map<string, WalletCoin>();
  for (const coins of earlier) {
    const left: { coin: WalletCoin; free: boolean }[] = [];
    for (const coin of coins) {
      const spend = await bitcoin.spend(coin.outpoint);
      const ours = spend !== null && isOurs(spend, context);
      if (spend !== null && buried(spend.height, height) && (ours || (await forgotten(spend, to, bitcoin, context))))
        return { is: 'mined', txid: spend.txid };
      if (spend === null && (await isUnmade([coin.outpoint], height, context))) continue;
      if (spend === null || ours || !buried(spend.height, height)) left.push({ coin, free: spend === null || ours });
    }
    const keepsOne = left.some(({ coin }) => keep.has(outpointKey(coin.outpoint)));
    const one = left.find(({ free }) => free) ?? left[0];
    if (!keepsOne && one !== undefined) keep.set(outpointKey(one.coin.outpoint), one.coin);
  }
  return { is: 'left', keep: [...keep.values()] };
}

/** What the payment that was mined after all cost; nothing where the chain does not show what it took. */
async function costOf(
  txid: Txid,
  earlier: readonly (readonly WalletCoin[])[],
  { ports }: OnchainContext,
): Promise<Sats> {
  const bitcoin = bitcoinOf(ports);
  const amounts = new Map(earlier.flat().map(({ outpoint, amount }) => [outpointKey(outpoint), amount]));
  const taken = await takenBy(bitcoin, txid, amounts);
  return taken === null ? noSats : less(taken, await paidBy(bitcoin, txid));
}

interface Output {
  readonly script: Uint8Array;
  readonly amount: Sats;
}

/**
 * Nobody else signs for coins of the wallet: a transaction that no row tells of and that pays the very same is this
 * payment, raised after the backup that the database comes from (facts/faults.md 5).
 */
async function forgotten(
  { txid }: ChainSpend,
  { script, amount }: Output,
  bitcoin: BitcoinPort,
  { store }: OnchainContext,
): Promise<boolean> {
  if (store.transactions.byId(txid) !== null) return false;
  const bytes = (await bitcoin.transaction(txid))?.bytes;
  const tx = bytes === undefined ? null : readRawTx(bytes);
  if (tx === null)
    throw new NotYet(null, 'what spent a coin of the payment cannot be read, and may be the payment itself', true);
  return tx.outputs.some((output) => output.amount === amount && sameBytes(output.script, script));
}

/** The same payment over the same coins, which stay reserved for the first of them. */
export async function prepareBump(
  { script, amount, replaces, leastRate, mostFee, doubted = true, within }: EffectOf<'onchain.bump'>,
  context: OnchainContext,
): Promise<void> {
  const { store, row, answer } = context;
  const before = store.transactions.standing({ subject: row.subject, leg: 'bitcoin', network: 'bitcoin' });
  if (before !== null && carriesFunding(before, store))
    return answer({ is: 'send.refused', reason: 'A funding of ours spends its change, and pays for both.' });
  return prepared(context, 'bump', () =>
    bitcoinWalletOf(context.ports).prepareBump({
      script,
      amount,
      replaces,
      leastRate,
      mostFee,
      doubted,
      ...(within === undefined ? {} : { within }),
    }),
  );
}

/** Saves what the wallet signed, with the coins that it reserves; or answers why nothing could be. */
export async function prepared(
  context: OnchainContext,
  purpose: Extract<OnchainPurpose, 'send' | 'bump' | 'consolidate'>,
  prepare: () => Promise<PreparedSend>,
): Promise<void> {
  const { row, answer, ports } = context;
  const { height } = await bitcoinOf(ports).tip();
  let made: PreparedSend;
  try {
    made = await prepare();
  } catch (cause) {
    // Too poor is final as well: the owner reads it, and sends less.
    if (!(cause instanceof PortFailure) || (cause.retry !== 'never' && !failedOnchain(cause, 'no-coins'))) throw cause;
    return answer({ is: 'send.refused', reason: cause.message });
  }
  const { bytes, ...payment } = made;
  const makers = await makersOf(made.coins, context);
  const save = (): void =>
    answer(
      { is: 'send.prepared', payment, height },
      {
        prepared: (store, now) => {
          const state = store.transactions.byId(made.txid)?.state;
          if (state === 'prepared' || state === 'accepted') return;
          const inputs = purpose === 'bump' ? [] : made.coins.map(({ outpoint }) => outpoint);
          const { subject } = row;
          const replaces = store.transactions.standing({ subject, leg: 'bitcoin', network: 'bitcoin' });
          store.transactions.insert(
            { ...btcOn('bitcoin'), txid: made.txid, subject, leg: 'bitcoin', purpose, bytes, inputs, replaces, makers },
            now,
          );
        },
      },
    );
  unlessTaken(save, 'a coin of the payment was promised to another one: it is prepared again');
}
