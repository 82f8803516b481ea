import { DefaultVtxo } from '@arkade-os/sdk';
import type { PortFailure } from '../../domain/errors.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import type { Sats } from '../../domain/money.ts';
import type { Outpoint } from '../../domain/outpoint.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import { seconds, type Unix } from '../../domain/time.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import { xOnlyKeyOf } from '../../legs/secp256k1.ts';
import type { OnChainCoin, Vtxo, WalletTerms, WalletVtxo } from '../../legs/arkade/vtxo.ts';
import type { Leaf, TapScript } from '../../legs/tapscript.ts';
import { delaySequence, tapScript } from '../../legs/tapscript.ts';
import type { SweepInput } from '../../legs/arkade/sweep.ts';
import type { KeyRef } from '../../legs/signer.ts';
import type { Payment, SpendInput } from './build.ts';
import type { ArkadeOptions, OperatorSettings, WalletMemory } from './operator.ts';

export const walletKey = { branch: 'arkade-wallet' } as const satisfies KeyRef;

/** The node's own coins: owner with operator, or owner alone after the exit delay. */
export interface WalletScript {
  readonly tap: TapScript;
  readonly spend: Leaf;
  /** The owner's alone. */
  readonly exit: Leaf;
  readonly under: WalletTerms;
}

/**
 * The wallet's scripts: with the operator's present signer and delay, then with all of before, whose coins are to be
 * renewed. Which those are this node has seen itself; of an operator's list of former signers only what it says at first
 * contact counts, when a seed may have come from elsewhere and nothing is known that it could contradict.
 */
export function createWalletScripts({
  keys,
  memory = ownMemory(),
}: ArkadeOptions): (operator: OperatorSettings) => [WalletScript, ...WalletScript[]] {
  const made = new Map<string, WalletScript>();

  function scriptOf(under: WalletTerms): WalletScript {
    const key = `${toHex(under.signer)} ${under.exitDelay}`;
    const script = made.get(key) ?? walletScript(xOnlyKeyOf(keys(walletKey)), under);
    made.set(key, script);
    return script;
  }

  return ({ signer, deprecated, exitDelay }) => {
    const present: WalletTerms = { signer, exitDelay: Number(exitDelay.value) };
    const seen = memory.terms();
    const before = (seen ?? deprecated.map((former) => ({ ...present, signer: former }))).filter(
      (terms) => !sameTerms(terms, present),
    );
    // Noted before any address under it is given out.
    if (before.length === (seen?.length ?? before.length)) memory.keep([...before, present]);
    return [scriptOf(present), ...before.map(scriptOf)];
  };
}

function sameTerms(a: WalletTerms, b: WalletTerms): boolean {
  return a.exitDelay === b.exitDelay && sameBytes(a.signer, b.signer);
}

function ownMemory(): WalletMemory {
  let seen: readonly WalletTerms[] | null = null;
  return {
    terms: () => seen,
    keep(terms) {
      seen = terms;
    },
  };
}

function walletScript(pubKey: Uint8Array, under: WalletTerms): WalletScript {
  const { signer, exitDelay } = under;
  const script = new DefaultVtxo.Script({
    pubKey,
    serverPubKey: signer,
    csvTimelock: { type: exitDelay < 512 ? 'blocks' : 'seconds', value: BigInt(exitDelay) },
  });
  const tap = tapScript(script.scripts);
  const [spend, exit] = tap.leaves;
  if (!spend || !exit) throw new RangeError('the wallet script has no leaves');
  return { tap, spend, exit, under };
}

/** The output of the wallet under a signer and a delay, whoever's they are now. */
export function scriptUnder({ keys }: ArkadeOptions, under: WalletTerms): Uint8Array {
  return walletScript(xOnlyKeyOf(keys(walletKey)), under).tap.pkScript;
}

/** How a coin of the wallet on the chain is spent by its owner alone. */
export function sweepInput({ keys }: ArkadeOptions, coin: OnChainCoin): SweepInput {
  const { tap, exit } = walletScript(xOnlyKeyOf(keys(walletKey)), { signer: coin.signer, exitDelay: coin.exitDelay });
  const sequence = coin.exitDelay < 512 ? coin.exitDelay : delaySequence(seconds(coin.exitDelay));
  return { coin: { ...coin.outpoint, amount: coin.amount }, pkScript: tap.pkScript, leaf: exit, sequence };
}

export function walletInput(wallets: readonly WalletScript[], coin: Vtxo): SpendInput {
  const wallet = wallets.find(({ tap }) => sameBytes(tap.pkScript, coin.script));
  if (!wallet) throw new RangeError('the coin is at no script of the wallet');
  return { coin, leaf: wallet.spend, tapTree: wallet.tap.tapTree };
}

export interface Choice {
  readonly coins: readonly Vtxo[];
  readonly change: bigint;
}

/**
 * The coins of a payment: the smallest single one that is enough, so that large coins stay whole, else as few as
 * possible. Change is nothing or at least dust. `avoid` holds outpoints that a payment prepared a moment ago may take;
 * they are used only when nothing else is left.
 */
export function chooseCoins(
  coins: readonly Vtxo[],
  amount: Sats,
  dust: Sats,
  avoid: ReadonlySet<string>,
): Choice | null {
  const fresh = coins.filter(({ outpoint }) => !avoid.has(outpointKey(outpoint)));
  return choose(fresh, amount, dust) ?? (fresh.length < coins.length ? choose(coins, amount, dust) : null);
}

/** More inputs than this and a transaction may weigh more than an operator takes. */
const mostInputs = 50;

function choose(coins: readonly Vtxo[], amount: Sats, dust: Sats): Choice | null {
  const enough = (total: bigint): boolean => total === amount || total >= amount + dust;
  const rising = [...coins].sort((a, b) =>
    a.amount === b.amount ? (outpointKey(a.outpoint) < outpointKey(b.outpoint) ? -1 : 1) : a.amount < b.amount ? -1 : 1,
  );
  const single = rising.find((coin) => enough(coin.amount));
  if (single) return { coins: [single], change: single.amount - amount };
  const chosen: Vtxo[] = [];
  let total = 0n;
  for (const coin of rising.reverse()) {
    if (chosen.length === mostInputs) break;
    chosen.push(coin);
    total += coin.amount;
    if (enough(total)) return { coins: chosen, change: total - amount };
  }
  return null;
}

/** Wallet coins that may be spent now and live long enough. */
export function spendable(coins: readonly WalletVtxo[], minExpiry: Unix, reserved: readonly Outpoint[]): Vtxo[] {
  const taken = new Set(reserved.map(outpointKey));
  return coins.filter(
    (coin) =>
      !coin.spent &&
      !coin.old &&
      !coin.recoverable &&
      !coin.unrolled &&
      coin.expiresAt > minExpiry &&
      !taken.has(outpointKey(coin.outpoint)),
  );
}

/** A wallet with fewer free coins than this cuts its change into pieces: payments side by side each need a coin. */
export const wantedCoins = 16;
const pieces = 4;
export const smallestPiece = 100_000n;

/** Change back to the wallet, within the operator's largest amount. */
export function changeOutputs(
  script: Uint8Array,
  change: bigint,
  amount: bigint,
  freeCoins: number,
  largest: Sats | null,
): Payment[] {
  if (change === 0n) return [];
  const floor = 2n * amount > smallestPiece ? 2n * amount : smallestPiece;
  const wanted = freeCoins < wantedCoins ? BigInt(pieces) : 1n;
  const byFloor = change / floor;
  const byLimit = largest === null ? 1n : (change + largest - 1n) / largest;
  const count = [wanted < byFloor ? wanted : byFloor, byLimit, 1n].reduce((a, b) => (a > b ? a : b));
  const share = change / count;
  return Array.from({ length: Number(count) }, (_, i) => ({
    script,
    amount: i === 0 ? change - share * (count - 1n) : share,
  }));
}

export function noCoins(amount: Sats, free: bigint): PortFailure {
  return arkadeFailure(
    'no-coins',
    'safe',
    `the Arkade wallet has ${free} sats in coins that can be used now, ${amount} are needed: add funds or wait for change`,
  );
}
