import type { PortFailure } from '../../domain/errors.ts';
import { less, lesser, noSats, plus, type Sats } from '../../domain/money.ts';
import { outpointKey, type Outpoint } from '../../domain/outpoint.ts';
import { onchainFailure } from '../../legs/onchain/failures.ts';
import { mostBeside, nothingKept, planBeside, totalOf } from '../../legs/onchain/reserve.ts';
import { mostSendable, planBump, type SendPlan } from '../../legs/onchain/send.ts';
import { dustOf, feeUp, sendSize } from '../../legs/onchain/size.ts';
import type { WalletCoin } from '../../legs/onchain/wallet-coin.ts';
import type { BitcoinWalletPort, PreparedSend, SendRequest } from '../../legs/onchain/wallet-port.ts';
import { highestRate, timesSecondEstimate } from '../../quote/ceilings.ts';
import { sequences, signSend } from './sign-send.ts';
import { walletAnchors } from './wallet-anchor.ts';
import { walletCoins, type BitcoinWalletOptions, type WalletCoins } from './wallet-coins.ts';
import { walletConsolidation } from './wallet-consolidate.ts';
import { walletHistory } from './wallet-history.ts';
import { beside, walletHtlcs } from './wallet-htlc.ts';
import type { JudgedCoin } from './wallet-rewards.ts';

/** Blocks within which a payment is to be mined of which nobody says how soon. */
const usual = 6;

/** What the wallet pays with. */
interface Wallet {
  readonly bitcoin: BitcoinWalletOptions['bitcoin'];
  readonly keys: BitcoinWalletOptions['keys'];
  readonly indexes: BitcoinWalletOptions['indexes'];
  readonly placeOf: WalletCoins['placeOf'];
}

/** Taproot coins under keys of the seed, on the path on which any wallet finds them (BIP-86). */
export function bitcoinWallet(options: BitcoinWalletOptions): BitcoinWalletPort {
  const { bitcoin, keys, indexes } = options;
  const coins = walletCoins(options);
  const { placeOf, judgedNow } = coins;
  const own: Wallet = { bitcoin, keys, indexes, placeOf };

  return {
    ...walletHtlcs(options, coins),
    ...walletHistory(bitcoin, { ...coins, indexes }),
    ...walletConsolidation(options, coins),
    ...walletAnchors(options, coins),
    address: async () => (await coins.unpaid()).address,
    lookBeyond: (last) => coins.lookBeyond(last),
    async balance(reserved) {
      const free = without(await judgedNow(), reserved);
      const total = (of: readonly WalletCoin[]): Sats => of.reduce((sum, { amount }) => plus(sum, amount), noSats);
      const usable = free.filter(isSpendable);
      return {
        available: total(usable),
        pending: total(free.filter((coin) => !isSpendable(coin))),
        coins: usable.map(({ amount }) => amount),
      };
    },
    async mostSendable({ script, reserved, reserve, within }) {
      const usable = without(await judgedNow(), reserved).filter(isSpendable);
      const { script: changeScript } = placeOf('bitcoin-change', indexes.taken('bitcoin-change'));
      return mostBeside(usable, { script, changeScript, rate: await rateNow(own, within) }, reserve);
    },
    async costOfSend(request) {
      const { rate, plan } = await planned(own, judgedNow, request);
      return { rate, fee: plan.fee };
    },
    async prepareSend(request) {
      const { plan, next } = await planned(own, judgedNow, request);
      const change =
        plan.change === null
          ? null
          : {
              amount: plan.change,
              key: { branch: 'bitcoin-change', index: indexes.take('bitcoin-change', next) } as const,
            };
      return signed(own, plan, change, request, false);
    },
    async prepareBump(request) {
      const { change } = request.replaces;
      if (change === null || !('index' in change.key)) throw noRoom(request.mostFee);
      const changeScript = placeOf('bitcoin-change', change.key.index).script;
      const size = sendSize(request.replaces.coins.length, [request.script, changeScript]);
      const second = request.doubted === true ? await secondRate(own, request.within) : null;
      const mostFee =
        second === null ? request.mostFee : lesser(request.mostFee, feeUp(size, timesSecondEstimate * second));
      const plan = planBump(
        { ...request, mostFee },
        changeScript,
        request.leastRate > 0
          ? Math.min(highestRate, Math.max(request.leastRate, await rateNow(own, request.within)))
          : await rateNow(own, request.within),
      );
      if (plan === null) throw noRoom(mostFee);
      return signed(
        own,
        plan,
        plan.change === null ? null : { ...change, amount: plan.change },
        request,
        plan.fee + BigInt(size) > request.mostFee,
      );
    },
  };
}

/** A payment as it would be now, with the key at which its change would lie; nobody has either yet. */
async function planned(
  own: Wallet,
  judgedNow: WalletCoins['judgedNow'],
  { script, amount, reserved, mostFee, doubted, reserve = nothingKept, keep = [], within }: SendRequest,
): Promise<{ plan: SendPlan; rate: number; next: number }> {
  if (amount < dustOf(script))
    throw onchainFailure(
      'dust',
      'never',
      `${amount} sats are dust at that address; the least that is relayed is ${dustOf(script)}: send more.`,
    );
  const rate = await rateNow(own, within);
  // Only what is confirmed, and no young reward: a chain of waiting transactions falls with its first one.
  const free = without(await judgedNow(), [...reserved, ...keep.map(({ outpoint }) => outpoint)])
    .filter(isSpendable)
    .map(({ outpoint, amount: value, key }) => ({ outpoint, amount: value, key }));
  const next = own.indexes.taken('bitcoin-change');
  const changeScript = own.placeOf('bitcoin-change', next).script;
  const plan = planBeside(free, { script, amount, changeScript, rate, keep }, reserve);
  if (plan === null)
    throw onchainFailure(
      'no-coins',
      'safe',
      `The Bitcoin wallet can send ${less(mostSendable([...keep, ...free], script, rate), totalOf(reserve))} ` +
        `sats from its confirmed coins at ${rate} sats per vbyte${beside(reserve)}, ${amount} were asked for: ` +
        'send less, or wait until what comes in is confirmed (a miner’s reward: 100 times).',
    );
  if (mostFee !== undefined && plan.fee > mostFee) throw tooDear(plan.fee, rate, `the ceiling is ${mostFee}`);
  const second = doubted === true ? await secondRate(own, within) : null;
  const believable = second === null ? null : feeUp(sizeOf(own, plan, script), timesSecondEstimate * second);
  if (believable !== null && plan.fee > believable)
    throw tooDear(plan.fee, rate, `another source says ${second} sats per vbyte`);
  return { plan, rate, next };
}

async function rateNow({ bitcoin }: Wallet, within = usual): Promise<number> {
  return Math.min(highestRate, await bitcoin.feeRate(within));
}

async function secondRate({ bitcoin }: Wallet, within = usual): Promise<number | null> {
  return (await bitcoin.secondFeeRate?.(within)) ?? null;
}

/** In virtual bytes. */
function sizeOf({ indexes, placeOf }: Wallet, plan: SendPlan, script: Uint8Array): number {
  return sendSize(
    plan.coins.length,
    plan.change === null ? [script] : [script, placeOf('bitcoin-change', indexes.taken('bitcoin-change')).script],
  );
}

function signed(
  { keys, placeOf }: Wallet,
  plan: SendPlan,
  change: PreparedSend['change'],
  to: { script: Uint8Array; amount: Sats },
  capped: boolean,
): PreparedSend {
  const { txid, bytes, vsize } = signSend(keys, {
    coins: plan.coins,
    outputs: [
      { script: to.script, amount: to.amount },
      ...(change !== null && 'index' in change.key
        ? [{ script: placeOf('bitcoin-change', change.key.index).script, amount: change.amount }]
        : []),
    ],
    sequence: sequences.replaceable,
  });
  return {
    txid,
    bytes,
    coins: plan.coins,
    change,
    fee: plan.fee,
    rate: Number(plan.fee) / vsize,
    capped: capped || change === null,
  };
}

function isSpendable({ state }: Pick<JudgedCoin, 'state'>): boolean {
  return state === 'spendable';
}

function without<C extends { readonly outpoint: Outpoint }>(coins: readonly C[], reserved: readonly Outpoint[]): C[] {
  const taken = new Set(reserved.map(outpointKey));
  return coins.filter(({ outpoint }) => !taken.has(outpointKey(outpoint)));
}

function noRoom(mostFee: Sats): PortFailure {
  return onchainFailure(
    'no-room',
    'never',
    `Its fee cannot be raised: a higher one would take more than its change holds, or more than ${mostFee} sats.`,
  );
}

function tooDear(fee: Sats, rate: number, ceiling: string): PortFailure {
  return onchainFailure(
    'too-dear',
    'never',
    `Its fee would be ${fee} sats at ${rate} sats per vbyte, and ${ceiling}: wait until fees fall, or say in ` +
      'max_fee what it may cost.',
  );
}
