import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createKeys, type Keys } from '../adapters/keys/keys.ts';
import type { Config } from '../config.ts';
import type { EvmNetwork } from '../domain/chain.ts';
import { isRefusal, PortFailure, refuse, type Refusal } from '../domain/errors.ts';
import type { EvmAddress } from '../domain/evm.ts';
import { findForgotten } from '../legs/onchain/forgotten.ts';
import type { Ports } from '../runtime/ports.ts';
import { evmRules } from '../service/evm/rules.ts';
import { bringHome, worst, type Learned } from './bring-home.ts';
import { openBundle, sealBundle, type Bundle } from './bundle.ts';
import { bySeed, noLocks } from './by-seed.ts';
import { connect, wallNow } from './connect.ts';
import { replaceFile } from './file.ts';
import { createPartialNotes, notesName, type PartialNotes } from '../store/partial-notes.ts';
import { createSealer } from '../store/sealer.ts';
import { moment } from './leg.ts';
import { createTurns } from './patience.ts';
import type { Outcome } from './swaps.ts';
import { addressFailure, sweep } from './sweep.ts';
import { evmAccountIn, sweepEvm } from './sweep-evm.ts';
import { tellWallets } from './wallet.ts';
import { noExitPaths } from './exit-paths.ts';

export interface RescueOptions {
  readonly config: Config;
  /** The 64 bytes of BIP-39. */
  readonly seed: Uint8Array;
  /** Null where the seed is all that is left. */
  readonly bundle: { readonly path: string; readonly bytes: Uint8Array } | null;
  /** The Arkade operator never comes back, says the owner: what can leave one that does not answer leaves it now. */
  readonly operatorGone: boolean;
  /** Swaps whose machine is passed by: their legs alone are gone by, as the networks show them. */
  readonly byHand: readonly string[];
  /**
   * Addresses of the owner's, to which what is in the wallets is sent once nothing needs it for fees: one of Bitcoin,
   * one of EVM chains. A wallet without one stays where it is.
   */
  readonly to: readonly string[];
  /** Coins of the Arkade wallet go to the chain although their operator serves. */
  readonly unroll: boolean;
  readonly say: (line: string) => void;
  /** Whether to go on, with what was said. */
  readonly agree: (question: string) => Promise<boolean>;
}

const evmPatience = { mined: 180_000, look: 3_000 };
const machinePatience = { poll: 2_000, looks: 10_000, quiet: 20_000, most: 300_000 };
/** Networks of this machine answer at once, and make their blocks as they are told. */
const localPatience = { poll: 250, looks: 1_500, quiet: 3_000, most: 60_000 };

/**
 * Brings home what open swaps hold, with no node running and no provider answering: from the bundle, or by the seed
 * alone what it finds. Nothing of a database is read or written; what a network shows decides, each time anew.
 */
export async function rescue(options: RescueOptions): Promise<Outcome | Refusal> {
  const { config, say } = options;
  const { network } = config;
  const keys = createKeys(options.seed, network);
  const bundle =
    options.bundle === null ? null : openBundle(options.bundle.path, options.bundle.bytes, network, keys.sealingKey);
  if (isRefusal(bundle)) return bundle;
  const unknown = options.byHand.find((id) => bundle?.swaps.every((swap) => swap.id !== id) ?? true);
  if (unknown !== undefined)
    return refuse('not-found', `The bundle holds no swap ${unknown}: name one as the command lists it.`);
  const goals = goalsOf(options.to, network);
  if (isRefusal(goals)) return goals;
  const { bitcoin, account } = goals;
  const networks = await connect(config, keys, bundle);
  if (isRefusal(networks)) return networks;
  const { ports } = networks;
  try {
    await ports.bitcoin?.tip().catch(() => undefined); // for the clock of locktimes; each look asks again
    if (bundle === null)
      say(
        'Without a bundle only what the seed finds again comes home: its wallets, and what our account locked on ' +
          'EVM chains in the last five weeks.',
      );
    else
      say(
        `The bundle was written ${moment(bundle.written)}; what began after that is not in it. It holds ` +
          `${bundle.swaps.length} open ${bundle.swaps.length === 1 ? 'swap' : 'swaps'}.`,
      );
    if (bundle !== null && bundle.lost > 0)
      say(
        `Its last ${bundle.lost} bytes were cut off or damaged, and what they changed is not known: take a newer or ` +
          'another copy where there is one.',
      );
    // What lies at later keys may have to pay for what comes home; where nothing has to, one look at the end is enough.
    const isSearched = bundle === null || (await isEmpty(ports));
    if (isSearched) await lookFar(ports, say);
    const locks = bundle === null ? await bySeed(ports, config, say) : noLocks;
    const outcome = await bringHome({
      bundle: bundle ?? { swaps: locks.swaps, exitPaths: noExitPaths, troubles: [] },
      ports,
      network,
      evm: { ...evmPatience, burial: (chain) => burialOn(config, chain) },
      say,
      agree: () => options.agree('Do what can be done now?'),
      ceilings: config.ceilings,
      machines: {
        wall: wallNow,
        partials: await notesBeside(options.bundle?.path ?? null, keys),
        patience: network === 'regtest' ? localPatience : machinePatience,
        rules: (chain) => evmRules(config, chain, { price: null, decimals: null }),
      },
      operatorGone: options.operatorGone,
      byHand: options.byHand,
      unroll: options.unroll,
      keep: (learned) => keep(options, bundle, learned, keys),
      signal: new AbortController().signal,
    });
    if (!isSearched && outcome === 'done') await lookFar(ports, say);
    else if (!isSearched) say('Coins at later keys of the Bitcoin wallet are looked for once all is home.');
    const swept = await sendAway(outcome);
    await tellWallets(ports, config, say);
    // What no RPC tells any more holds back nothing that is here, and is not done all the same.
    return worst(outcome, swept, locks.isWhole ? 'done' : 'later');
  } finally {
    await networks.stop();
  }

  /** As long as something is left, what is in the wallets may have to pay for it. */
  async function sendAway(outcome: Outcome): Promise<Outcome> {
    const { ceilings, evm } = config;
    const { agree } = options;
    if (outcome !== 'done') {
      if (options.to.length > 0)
        say(
          `The wallets are sent to ${options.to.join(' and ')} once nothing is left that they may have to pay ` +
            'fees for.',
        );
      return outcome;
    }
    return worst(
      bitcoin === null ? 'done' : await sweep({ ports, network, ceilings, to: bitcoin, say, agree }),
      account === null ? 'done' : await sweepEvm({ ports, evm, patience: evmPatience, to: account, say, agree }),
    );
  }
}

/**
 * The words do not say how many keys of the Bitcoin wallet were given out, and a bundle says how many were when it was
 * written.
 */
async function lookFar({ bitcoinWallet }: Ports, say: (line: string) => void): Promise<void> {
  if (bitcoinWallet === undefined) return;
  say('Looking for coins of the Bitcoin wallet, up to a thousand keys beyond the last one that has any.');
  try {
    await findForgotten(bitcoinWallet, () => true);
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    say(`The search failed (${cause.message}): coins at later keys are missing below. Run this again.`);
  }
}

async function isEmpty({ bitcoinWallet }: Ports): Promise<boolean> {
  if (bitcoinWallet === undefined) return false;
  try {
    const { available, pending } = await bitcoinWallet.balance([]);
    return available + pending === 0n;
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return false;
  }
}

/** A place that does not answer for so long is away. */
const notesPatienceMs = 10_000;

/**
 * What partial signatures were given for, as their node noted it beside its bundle and beside the copy of that: given
 * after the bundle was written, they count all the same.
 */
async function notesBeside(path: string | null, keys: Keys): Promise<PartialNotes> {
  const notes = createPartialNotes({ path: null, sealer: createSealer(keys.sealingKey(notesName)) });
  if (path !== null) {
    const copy = `${path}.${notesName}`;
    const beside = [copy, ...[join(dirname(path), notesName)].filter((place) => existsSync(place))];
    await notes.alsoAt(() => beside, createTurns(notesPatienceMs));
  }
  return notes;
}

interface Goals {
  readonly bitcoin: string | null;
  readonly account: EvmAddress | null;
}

function goalsOf(to: readonly string[], network: Config['network']): Goals | Refusal {
  let goals: Goals = { bitcoin: null, account: null };
  for (const text of to) {
    const account = evmAccountIn(text);
    const wrong = account === null ? addressFailure(text, network) : null;
    if (wrong !== null) return refuse('invalid', wrong);
    if ((account === null ? goals.bitcoin : goals.account) !== null)
      return refuse('invalid', `Two addresses of one kind are given: leave out all but one of ${to.join(', ')}.`);
    goals = account === null ? { ...goals, bitcoin: text } : { ...goals, account };
  }
  return goals;
}

function burialOn({ evm }: Config, network: EvmNetwork): number {
  return evm[network.slice('evm:'.length)]?.confirmations[1] ?? 64;
}

/** What was learned is in the bundle before anything is done by it. */
async function keep(
  { bundle: file, config }: RescueOptions,
  bundle: Bundle | null,
  { swaps, troubles }: Learned,
  keys: Keys,
): Promise<void> {
  if (file === null || bundle === null) return;
  const bytes = sealBundle({ ...bundle, swaps, troubles }, config.network, keys.sealingKey);
  await replaceFile(file.path, { bytes });
}
