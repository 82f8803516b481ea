import type { Connections } from './connections/connections.ts';
import type { LiveSettings } from './connections/settings.ts';
import { isTree } from './config/tree.ts';
import type { Doctor } from './contract/owner/doctor.ts';
import type { Settings } from './contract/owner/settings.ts';
import { runDoctor } from './doctor.ts';
import { evmNetwork } from './domain/chain.ts';
import { isRefusal, type Refusal } from './domain/errors.ts';
import type { EvmAddress } from './domain/evm.ts';
import type { Unix } from './domain/time.ts';
import type { NodeOptions } from './node-options.ts';
import { disagreementOf } from './runtime/ports.ts';
import type { ServiceContext } from './service/context.ts';
import type { OnchainRecovery } from './service/exits/onchain-recovery.ts';
import { unsavedValue } from './service/limits/unsaved.ts';
import type { Sealer } from './store/sealer.ts';

export interface DoctorOfNode {
  readonly options: Pick<NodeOptions, 'dataDir' | 'sandbox'>;
  readonly settings: LiveSettings;
  readonly sealer: Sealer;
  readonly evmAccount: EvmAddress;
  readonly ports: Connections['ports'];
  readonly onchainRecovery: Pick<OnchainRecovery, 'summary'>;
  readonly context: ServiceContext;
  readonly wall: () => Unix;
  readonly unguarded: () => string | null;
}

/** The doctor of a node that runs, which can also be asked what only it knows. */
export function askOwnDoctor(node: DoctorOfNode): Promise<Doctor> {
  const { options, settings, sealer, evmAccount, ports, onchainRecovery, context, wall, unguarded } = node;
  return runDoctor({
    config: settings.config,
    dataDir: options.dataDir,
    sealer,
    evmAccount,
    sandbox: options.sandbox?.endpoints ?? null,
    node: {
      coins: { atOperator: async () => ports.arkade.walletCoins(), onChain: onchainRecovery.summary },
      disagreement: () => disagreementOf(ports.bitcoin),
      reserve: () => context.networks.feeReserve(),
      unsaved: () => unsavedValue(context),
      unguarded,
    },
    wall,
  });
}

/** What lies on this machine of a network's settings. */
const ofCredentials = ['credentials', 'certificate', 'socks'];
/** Money is put in once the network is connected, and is no reason against it before. */
const ofMoney = ['gas', 'liquidity', 'reserve'];

/** What the doctor finds of the networks that a change names, as the change would have them. Nothing is changed. */
export async function tryChange(node: DoctorOfNode, patch: Settings['settings']): Promise<Doctor | Refusal> {
  const { options, settings, sealer, evmAccount, wall } = node;
  const next = settings.propose(patch);
  if (isRefusal(next)) return next;
  const names = networksIn(patch);
  const { rows } = await runDoctor({
    config: {
      ...next,
      lnd: names.has('lightning') ? next.lnd : null,
      bitcoin: names.has('bitcoin') ? next.bitcoin : { ...next.bitcoin, core: null, esplora: [] },
      arkade: names.has('arkade') ? next.arkade : null,
      evm: Object.fromEntries(Object.entries(next.evm).filter(([chain]) => names.has(evmNetwork(chain)))),
      prices: { url: null, source: null, fiat: null },
    },
    dataDir: options.dataDir,
    sealer,
    evmAccount,
    sandbox: null,
    node: null,
    wall,
  });
  return {
    rows: rows.filter(({ network, check }) =>
      network === 'node' ? ofCredentials.includes(check) : names.has(network) && !ofMoney.includes(check),
    ),
  };
}

function networksIn(patch: Settings['settings']): ReadonlySet<string> {
  const { lnd, bitcoin, arkade, evm } = patch;
  return new Set([
    ...(lnd === undefined ? [] : ['lightning']),
    ...(bitcoin === undefined ? [] : ['bitcoin']),
    ...(arkade === undefined ? [] : ['arkade']),
    ...(isTree(evm) ? Object.keys(evm).map(evmNetwork) : []),
  ]);
}
