import { setImmediate as nextTurn } from 'node:timers/promises';
import { createKeys } from './adapters/keys/keys.ts';
import { leaveThrough } from './adapters/socks/outgoing.ts';
import type { Config } from './config.ts';
import { clockLimitsOf, policyOf } from './config/policy.ts';
import type { SandboxAddresses } from './connections/connections.ts';
import type { Doctor } from './contract/owner/doctor.ts';
import { askOperator, askWallet, type NodeCoins } from './doctor/ask/arkade.ts';
import { askBitcoin, askEsplora } from './doctor/ask/bitcoin.ts';
import { askChain } from './doctor/ask/evm.ts';
import { createFiles } from './doctor/ask/files.ts';
import { askLnd, askSandboxLnd } from './doctor/ask/lightning.ts';
import { askPegs } from './doctor/ask/peg.ts';
import { askProxy, lookAtFolder } from './doctor/ask/machine.ts';
import { directionNames } from './domain/chain.ts';
import type { EvmAddress } from './domain/evm.ts';
import { settingOf, termsFor } from './domain/terms.ts';
import { accountOf } from './legs/evm/account.ts';
import type { ArkadeWallet } from './doctor/judge/arkade.ts';
import type { Reserve } from './doctor/judge/bitcoin.ts';
import { judge, type Expected } from './doctor/judge/judge.ts';
import { machineClock } from './machine-clock.ts';
import { createSealer, type Sealer } from './store/sealer.ts';

export interface DoctorOptions {
  readonly config: Config;
  readonly dataDir: string;
  /** Opens what owner routes sealed; null where nobody brought the seed. */
  readonly sealer: Sealer | null;
  /** Who pays for gas on EVM chains; null where nobody brought the seed. */
  readonly evmAccount: EvmAddress | null;
  readonly sandbox: SandboxAddresses | null;
  /** The node that asks, whose swaps must not wait for long; null outside of one. */
  readonly node: RunningNode | null;
  /** Unix seconds on the networks' clock. */
  readonly wall: () => number;
  /** Milliseconds that one endpoint may take; 10 s when left out. */
  readonly patience?: number;
}

/** What only a node that runs can say. */
interface RunningNode {
  readonly coins: NodeCoins;
  /** What its Bitcoin sources contradict each other in. */
  disagreement(): string | null;
  /** What lies at the Arkade operator and could not leave it alone. */
  unsaved(): bigint;
  /** What its Bitcoin wallet keeps for fees. */
  reserve(): Reserve;
  /** Why a data folder that is rolled back as a whole may go unnoticed; null where marks elsewhere would show it. */
  unguarded(): string | null;
}

/** Milliseconds; all endpoints are asked at the same time. */
const usualPatience = 10_000;

/** Without a node: the seed only opens credentials that lie sealed in the data folder. */
export async function examine({
  seed,
  ...options
}: Pick<DoctorOptions, 'config' | 'dataDir' | 'patience'> & { seed: Uint8Array | null }): Promise<Doctor> {
  const keys = seed === null ? null : createKeys(seed, options.config.network);
  const sealer = keys === null ? null : createSealer(keys.sealingKey('credentials'));
  const evmAccount = keys === null ? null : accountOf(keys.privateKey({ branch: 'evm-account' }));
  await leaveThrough(options.config.socks);
  return runDoctor({ ...options, sealer, evmAccount, sandbox: null, node: null, wall: machineClock });
}

/** Checks every connection and everything on this machine that they stand on. Changes nothing and starts nothing. */
export async function runDoctor(options: DoctorOptions): Promise<Doctor> {
  const { config, dataDir, sandbox, node, wall, patience = usualPatience } = options;
  const files = createFiles(options.sealer);
  const machine = machineClock();
  const lightningAsked =
    sandbox === null ? askLnd(config, files, patience) : askSandboxLnd(config.network, sandbox.lnd, patience);
  // Opening gRPC keeps this thread busy for a while, which is not how long the others take to answer.
  await nextTurn();
  const [lightning, bitcoin, arkade, evm, pegs, proxy, folder, wallet] = await Promise.all([
    lightningAsked,
    sandbox === null
      ? askBitcoin(config.bitcoin, files, patience)
      : Promise.all([askEsplora(sandbox.bitcoin.esploraUrl, 'the sandbox', patience)]),
    askOperator(sandbox?.arkade.url ?? config.arkade?.url ?? null, patience),
    Promise.all(Object.entries(config.evm).map(([id, chain]) => askChain(id, chain, options.evmAccount, patience))),
    askPegs(config, machine),
    askProxy(config.socks, patience),
    lookAtFolder(dataDir, node !== null),
    askWallet(node?.coins ?? null, wall),
  ]);
  return judge(
    {
      machine: { ...files.facts, folder, proxy, unguarded: node?.unguarded() ?? null },
      lightning,
      bitcoin,
      arkade,
      evm,
      pegs,
    },
    {
      ...expectedOf(config, machine, wallet, node?.unsaved() ?? null),
      wall: wall(),
      disagreement: node?.disagreement() ?? null,
      reserve: node?.reserve() ?? null,
    },
  );
}

/** What the owner configured, and the answers have to fit. */
function expectedOf(
  config: Config,
  machine: number,
  wallet: ArkadeWallet | null,
  unsavedSats: bigint | null,
): Pick<Expected, 'limits' | 'arkade' | 'clocks' | 'evmTipAge'> {
  const { network, sandbox, terms, caps } = config;
  return {
    limits: {
      network,
      sandbox,
      perNetworkSats: caps.perNetworkSats,
      perHourSats: caps.perHourSats,
      perDaySats: caps.perDaySats,
      machine,
    },
    arkade: {
      network,
      policy: policyOf(config),
      ...limitsOverArkade(terms),
      maxExposureSats: config.arkade?.maxExposureSats ?? 0,
      maxUnsavedSats: config.arkade?.maxUnsavedSats ?? 0,
      unsavedSats,
      sandbox,
      machine,
      wallet,
    },
    clocks: clockLimitsOf(config),
    evmTipAge: config.timing.maxTipAgeSeconds.evm,
  };
}

/** The widest limits of all directions with a side on Arkade, each with the setting that it comes from. */
function limitsOverArkade(terms: Config['terms']): Pick<Expected['arkade'], 'min' | 'max'> {
  const over = directionNames.filter((name) => name.split('-').includes('arkade'));
  const limits = (term: 'minSats' | 'maxSats') =>
    over
      .map((name) => ({ setting: settingOf(terms, name, term), sats: termsFor(terms, name)[term] }))
      .toSorted((a, b) => a.sats - b.sats);
  const none = { setting: 'terms', sats: 0 };
  return { min: limits('minSats')[0] ?? none, max: limits('maxSats').at(-1) ?? none };
}
