import { DefaultVtxo } from '@arkade-os/sdk';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import { seconds } from '../../domain/time.ts';
import { xOnlyKeyOf } from '../../legs/secp256k1.ts';
import type { OnChainCoin, Vtxo, WalletTerms } from '../../legs/arkade/vtxo.ts';
import type { Leaf, TapScript } from '../../legs/tapscript.ts';
import { delaySequence, tapScript } from '../../legs/tapscript.ts';
import type { SweepInput } from '../../legs/arkade/sweep.ts';
import type { KeyRef } from '../../legs/signer.ts';
import type { SpendInput } from './build.ts';
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
 * renewed. Which those are this node has seen itself; of an operator's list of former signers only what it says at
 * first contact counts, when a seed may have come from elsewhere and nothing is known that it could contradict.
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

/**
 * The output of the wallet under a signer and a delay, whoever's they are now: of every coin that is kept, it is asked
 * for at every look.
 */
export function createScriptUnder({ keys }: ArkadeOptions): (under: WalletTerms) => Uint8Array {
  const made = new Map<string, Uint8Array>();
  return (under) => {
    const key = `${toHex(under.signer)} ${under.exitDelay}`;
    const script = made.get(key) ?? walletScript(xOnlyKeyOf(keys(walletKey)), under).tap.pkScript;
    made.set(key, script);
    return script;
  };
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
  return { coin, script: wallet.tap.pkScript, leaf: wallet.spend, tapTree: wallet.tap.tapTree };
}
