import { p2tr, SigHash, Transaction } from '@scure/btc-signer';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import type { PortFailure } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { lesser, noSats, plus, type Sats } from '../../domain/money.ts';
import { outpointKey, type Outpoint } from '../../domain/outpoint.ts';
import { onchainFailure } from '../../legs/onchain/failures.ts';
import { addressForms } from '../../legs/onchain/address.ts';
import type { BitcoinPort, ChainCoin } from '../../legs/onchain/port.ts';
import { mostSendable, planBump, planSend, type SendPlan } from '../../legs/onchain/send.ts';
import { dustOf, feeUp, sendSize } from '../../legs/onchain/size.ts';
import type { BitcoinWalletPort, PreparedSend, WalletCoin } from '../../legs/onchain/wallet-port.ts';
import { keyPathSecret, schnorrSign, xOnlyKeyOf } from '../../legs/secp256k1.ts';
import type { KeyRef } from '../../legs/signer.ts';
import { highestRate, timesSecondEstimate } from '../../quote/ceilings.ts';

/** Where the wallet's keys come one after the other: for others to pay to, and for its own change (BIP-86). */
export type WalletBranch = 'bitcoin-deposit' | 'bitcoin-change';

/** Indices of keys that were shown to somebody, or used: saved before they are. */
export interface WalletIndexes {
  /** All below this one are taken. */
  taken(branch: WalletBranch): number;
  /** Takes the next one, at least `floor`. */
  take(branch: WalletBranch, floor: number): number;
}

export interface BitcoinWalletOptions {
  readonly bitcoin: BitcoinPort;
  readonly network: BitcoinNetwork;
  /** The private key, a copy. */
  readonly keys: (ref: KeyRef) => Uint8Array;
  readonly indexes: WalletIndexes;
}

type Seen = WalletCoin & Pick<ChainCoin, 'height'>;

interface Place {
  readonly key: { readonly branch: WalletBranch; readonly index: number };
  readonly script: Uint8Array;
  readonly address: string;
}

const branches: readonly WalletBranch[] = ['bitcoin-deposit', 'bitcoin-change'];
/** So many keys beyond the last one taken are looked at once at first: an older database does not know what it gave out (BIP-44). */
const gap = 20;
/** Blocks within which a payment is to be mined. */
const within = 6;
/** Replaceable by a higher fee (BIP-125). */
const replaceable = 0xfffffffd;

/** Taproot coins under keys of the seed, on the path on which any wallet finds them (BIP-86). */
export function bitcoinWallet({ bitcoin, network, keys, indexes }: BitcoinWalletOptions): BitcoinWalletPort {
  const places = new Map<string, Place>();
  /** Deposit keys at which a coin was seen. */
  const paid = new Set<number>();
  /** Scripts that came up later than the first look, with the height they came up at: nobody can have paid them before. */
  const births = new Map<string, number>();
  let looked = false;

  function placeOf(branch: WalletBranch, index: number): Place {
    const name = nameOf({ branch, index });
    const cached = places.get(name);
    if (cached !== undefined) return cached;
    const secret = keys({ branch, index });
    const { script, address } = p2tr(xOnlyKeyOf(secret), undefined, addressForms[network]);
    secret.fill(0);
    if (address === undefined) throw new RangeError('a taproot output has no address');
    const place = { key: { branch, index }, script, address };
    places.set(name, place);
    return place;
  }

  async function coinsNow(): Promise<Seen[]> {
    for (;;) {
      const before = branches.map(indexes.taken);
      const coins = await look();
      // What a database from a backup forgot may go on beyond what was found of it.
      if (looked || branches.map(indexes.taken).every((taken, i) => taken === before[i])) {
        looked = true;
        return coins;
      }
    }
  }

  async function look(): Promise<Seen[]> {
    const { height } = await bitcoin.tip();
    const before = new Set(places.keys());
    const all = branches.flatMap((branch) =>
      Array.from({ length: indexes.taken(branch) + (looked ? 1 : gap) }, (_, index) => placeOf(branch, index)),
    );
    const byScript = new Map(all.map((place) => [toHex(place.script), place]));
    if (looked) for (const key of places.keys()) if (!before.has(key)) births.set(key, height);
    const [old, young] = [
      all.filter((place) => !births.has(nameOf(place.key))),
      all.filter((place) => births.has(nameOf(place.key))),
    ];
    const scriptsOf = (of: readonly Place[]): Uint8Array[] => of.map(({ script }) => script);
    const coins = await bitcoin.coins(scriptsOf(old));
    if (young.length > 0) coins.push(...(await bitcoin.coins(scriptsOf(young), Math.min(...births.values()))));
    return coins.flatMap((coin) => {
      const place = byScript.get(toHex(coin.script));
      if (place === undefined) return [];
      const { key } = place;
      if (key.branch === 'bitcoin-deposit') paid.add(key.index);
      // A database from a backup gave this one out before, and must not again.
      if (key.index >= indexes.taken(key.branch)) indexes.take(key.branch, key.index);
      return [{ outpoint: coin.outpoint, amount: coin.amount, height: coin.height, key }];
    });
  }

  async function rateNow(): Promise<number> {
    return Math.min(highestRate, await bitcoin.feeRate(within));
  }

  async function secondRate(): Promise<number | null> {
    return (await bitcoin.secondFeeRate?.(within)) ?? null;
  }

  /** In virtual bytes. */
  function sizeOf(plan: SendPlan, script: Uint8Array): number {
    return sendSize(
      plan.coins.length,
      plan.change === null ? [script] : [script, placeOf('bitcoin-change', indexes.taken('bitcoin-change')).script],
    );
  }

  function signed(
    plan: SendPlan,
    change: PreparedSend['change'],
    { script, amount }: { script: Uint8Array; amount: Sats },
    capped: boolean,
  ): PreparedSend {
    const transaction = new Transaction({ version: 2 });
    const spent = plan.coins.map(({ outpoint, key, amount: value }) => {
      const secret = keys(key);
      const own = { outpoint, script: p2tr(xOnlyKeyOf(secret)).script, amount: value, secret: keyPathSecret(secret) };
      secret.fill(0);
      return own;
    });
    for (const coin of spent)
      transaction.addInput({
        txid: coin.outpoint.txid,
        index: coin.outpoint.vout,
        sequence: replaceable,
        witnessUtxo: { script: coin.script, amount: coin.amount },
      });
    transaction.addOutput({ script, amount });
    if (change !== null && 'index' in change.key)
      transaction.addOutput({ script: placeOf('bitcoin-change', change.key.index).script, amount: change.amount });
    for (const [i, { secret }] of spent.entries()) {
      const message = transaction.preimageWitnessV1(
        i,
        spent.map((coin) => coin.script),
        SigHash.DEFAULT,
        spent.map((coin) => coin.amount),
      );
      transaction.updateInput(i, { tapKeySig: schnorrSign(message, secret) }, true);
      secret.fill(0);
    }
    transaction.finalize();
    const bytes = transaction.extract();
    return {
      txid: transaction.id,
      bytes,
      coins: plan.coins,
      change,
      fee: plan.fee,
      rate: Number(plan.fee) / transaction.vsize,
      capped: capped || change === null,
    };
  }

  return {
    async address() {
      await coinsNow();
      const last = indexes.taken('bitcoin-deposit') - 1;
      return placeOf('bitcoin-deposit', last >= 0 && !paid.has(last) ? last : indexes.take('bitcoin-deposit', 0))
        .address;
    },
    async balance(reserved) {
      const free = without(await coinsNow(), reserved);
      const total = (of: readonly WalletCoin[]): Sats => of.reduce((sum, { amount }) => plus(sum, amount), noSats);
      return {
        available: total(free.filter(({ height }) => height !== null)),
        pending: total(free.filter(({ height }) => height === null)),
      };
    },
    async prepareSend({ script, amount, reserved, mostFee, doubted, keep = [] }) {
      if (amount < dustOf(script))
        throw onchainFailure(
          'dust',
          'never',
          `${amount} sats are dust at that address; the least that is relayed is ${dustOf(script)}: send more.`,
        );
      const rate = await rateNow();
      // Only what is confirmed: a chain of waiting transactions falls with its first one.
      const coins = without(await coinsNow(), [...reserved, ...keep.map(({ outpoint }) => outpoint)])
        .filter(({ height }) => height !== null)
        .map(({ outpoint, amount: value, key }) => ({ outpoint, amount: value, key }));
      const next = indexes.taken('bitcoin-change');
      const plan = planSend(coins, {
        script,
        amount,
        changeScript: placeOf('bitcoin-change', next).script,
        rate,
        keep,
      });
      if (plan === null)
        throw onchainFailure(
          'no-coins',
          'safe',
          `The Bitcoin wallet can send ${mostSendable([...keep, ...coins], script, rate)} sats from its confirmed coins at ${rate} sats per vbyte, ${amount} were asked for: send less, or wait until what comes in is confirmed.`,
        );
      if (mostFee !== undefined && plan.fee > mostFee) throw tooDear(plan.fee, rate, `the ceiling is ${mostFee}`);
      const second = doubted === true ? await secondRate() : null;
      const believable = second === null ? null : feeUp(sizeOf(plan, script), timesSecondEstimate * second);
      if (believable !== null && plan.fee > believable)
        throw tooDear(plan.fee, rate, `another source says ${second} sats per vbyte`);
      const change =
        plan.change === null
          ? null
          : {
              amount: plan.change,
              key: { branch: 'bitcoin-change', index: indexes.take('bitcoin-change', next) } as const,
            };
      return signed(plan, change, { script, amount }, false);
    },
    async prepareBump(request) {
      const { change } = request.replaces;
      if (change === null || !('index' in change.key)) throw noRoom(request.mostFee);
      const changeScript = placeOf('bitcoin-change', change.key.index).script;
      const size = sendSize(request.replaces.coins.length, [request.script, changeScript]);
      const second = request.doubted === true ? await secondRate() : null;
      const mostFee =
        second === null ? request.mostFee : lesser(request.mostFee, feeUp(size, timesSecondEstimate * second));
      const plan = planBump(
        { ...request, mostFee },
        changeScript,
        request.leastRate > 0 ? Math.min(highestRate, Math.max(request.leastRate, await rateNow())) : await rateNow(),
      );
      if (plan === null) throw noRoom(mostFee);
      return signed(
        plan,
        plan.change === null ? null : { ...change, amount: plan.change },
        request,
        plan.fee + BigInt(size) > request.mostFee,
      );
    },
  };
}

function nameOf({ branch, index }: Place['key']): string {
  return `${branch} ${index}`;
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
    `Its fee would be ${fee} sats at ${rate} sats per vbyte, and ${ceiling}: wait until fees fall, or say in max_fee what it may cost.`,
  );
}
