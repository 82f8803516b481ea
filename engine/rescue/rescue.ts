import { createKeys, type Keys } from '../adapters/keys/keys.ts';
import type { Config } from '../config.ts';
import { evmNetwork, type EvmNetwork } from '../domain/chain.ts';
import { isRefusal, PortFailure, refuse, type Refusal } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import { swapKey } from '../legs/evm/swap-key.ts';
import type { RescueEntry } from '../legs/rescue.ts';
import { evmOf, type Ports } from '../runtime/ports.ts';
import { bringHome, worst, type Learned } from './bring-home.ts';
import { openBundle, sealBundle, type Bundle } from './bundle.ts';
import { connect } from './connect.ts';
import { ownLocks } from './evm.ts';
import { replaceFile } from './file.ts';
import { encode } from '../store/codec.ts';
import { moment } from './leg.ts';
import type { Outcome } from './swaps.ts';
import { addressFailure, sweep } from './sweep.ts';
import { tellWallets } from './wallet.ts';
import { noWays } from './ways.ts';

export interface RescueOptions {
  readonly config: Config;
  /** The 64 bytes of BIP-39. */
  readonly seed: Uint8Array;
  /** Null where the seed is all that is left. */
  readonly bundle: { readonly path: string; readonly bytes: Uint8Array } | null;
  /** The Arkade operator never comes back, says the owner: what can leave one that does not answer leaves it now. */
  readonly operatorGone: boolean;
  /** An address of the owner's, to which the Bitcoin wallet is sent once nothing needs its coins for fees; null keeps it where it is. */
  readonly to: string | null;
  /** Coins of the Arkade wallet go to the chain although their operator serves. */
  readonly unroll: boolean;
  readonly say: (line: string) => void;
  /** Whether to go on, with what was said. */
  readonly agree: (question: string) => Promise<boolean>;
}

/** Of an EVM chain, so many blocks back are locks looked for without a bundle: none of a swap lives longer where blocks take a second. */
const blocksBack = 700_000;
const evmPatience = { mined: 180_000, look: 3_000 };

/**
 * Brings home what open swaps hold, with no node running and no provider answering: from the bundle, or by the seed alone what it finds.
 * Nothing of a database is read or written; what a network shows decides, each time anew.
 */
export async function rescue(options: RescueOptions): Promise<Outcome | Refusal> {
  const { config, say } = options;
  const { network } = config;
  const keys = createKeys(options.seed, network);
  const bundle =
    options.bundle === null ? null : openBundle(options.bundle.path, options.bundle.bytes, network, keys.sealingKey);
  if (isRefusal(bundle)) return bundle;
  const wrong = options.to === null ? null : addressFailure(options.to, network);
  if (wrong !== null) return refuse('invalid', wrong);
  const networks = await connect(config, keys, bundle);
  if (isRefusal(networks)) return networks;
  const { ports } = networks;
  try {
    await ports.bitcoin?.tip().catch(() => undefined); // for the clock of locktimes; each look asks again
    if (bundle === null)
      say(
        'Without a bundle only what the seed finds again comes home: its wallets, and what our account locked on EVM chains.',
      );
    else
      say(
        `The bundle was written ${moment(bundle.written)}; what began after that is not in it. It holds ${bundle.swaps.length} open swaps.`,
      );
    const outcome = await bringHome({
      bundle: bundle ?? { swaps: await bySeed(ports, config, say), ways: noWays, troubles: [] },
      ports,
      network,
      evm: { ...evmPatience, burial: (chain) => burialOn(config, chain) },
      say,
      agree: () => options.agree('Do what can be done now?'),
      ceilings: config.ceilings,
      operatorGone: options.operatorGone,
      unroll: options.unroll,
      keep: (learned) => keep(options, bundle, learned, keys),
      signal: new AbortController().signal,
    });
    const swept = options.to === null ? 'done' : await sendAway(options.to, outcome);
    await tellWallets(ports, config, say);
    return worst(outcome, swept);
  } finally {
    await networks.stop();
  }

  /** As long as something is left, the coins of the wallet may have to pay for it. */
  async function sendAway(to: string, outcome: Outcome): Promise<Outcome> {
    if (outcome === 'done') return sweep({ ports, network, ceilings: config.ceilings, to, say, agree: options.agree });
    say(`The Bitcoin wallet is sent to ${to} once nothing is left that it may have to pay fees for.`);
    return outcome;
  }
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
  const texts = swaps.map((entry) => encode(entry));
  await replaceFile(
    file.path,
    sealBundle({ ...bundle, troubles, ways: encode(bundle.ways), swaps: texts }, config.network, keys.sealingKey),
  );
}

async function bySeed(ports: Ports, { evm }: Config, say: (line: string) => void): Promise<RescueEntry[]> {
  const entries: RescueEntry[] = [];
  for (const [id, { contracts }] of Object.entries(evm)) {
    const network = evmNetwork(Number(id));
    try {
      const port = evmOf(ports, network);
      const { height } = await port.tip();
      for (const refund of await ownLocks(port, { network, contracts, from: Math.max(0, height - blocksBack) }))
        entries.push({
          id: `lock ${toHex(swapKey(refund.lock)).slice(0, 16)}`,
          direction: `on ${network}`,
          role: 'service',
          secret: null,
          claim: null,
          refund,
          shown: false,
        });
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
      say(`Chain ${id} could not be searched for locks: ${cause.message}. Run this again.`);
    }
  }
  return entries;
}
