import { setTimeout as pause } from 'node:timers/promises';
import { outpointKey, type Outpoint } from '../../../engine/domain/outpoint.ts';
import { until as untilWithin } from '../kit/daemon.ts';
import { openAdmin, type OperatorAdmin } from './admin.ts';
import type { GivenOperator } from './environment.ts';
import { openChain, type OperatorChain } from './chain.ts';

/**
 * `seconds`: delays in seconds, long-lived coins. `expiry`: delays in blocks, coins that expire within half a minute.
 */
export type Profile = 'seconds' | 'expiry';

export interface RealOperator {
  readonly url: string;
  readonly version: string;
  readonly profile: Profile;
  readonly admin: OperatorAdmin;
  readonly chain: OperatorChain;
}

interface Info {
  readonly network?: string;
  readonly sessionDuration?: string;
  readonly version?: string;
}

const bootLimit = 90_000;
const password = 'regtest-only';
/** A round locks the coins that it takes for a minute, failed ones too. */
const coinsWanted = 60;
/** Sats that the notes of all suites take, and as much again. */
const leastAvailable = 100_000_000n;

const profiles: Readonly<Record<Profile, Readonly<Record<string, (value: number) => boolean>>>> = {
  seconds: {
    vtxoTreeExpiry: (value) => value >= 86_400 && value % 512 === 0,
    unilateralExitDelay: (value) => value === 512,
    publicUnilateralExitDelay: (value) => value === 512,
    checkpointExitDelay: (value) => value === 512,
    boardingExitDelay: (value) => value === 1_024,
  },
  expiry: {
    vtxoTreeExpiry: (value) => value >= 25 && value <= 30,
    unilateralExitDelay: (value) => value === 5,
    publicUnilateralExitDelay: (value) => value === 5,
    checkpointExitDelay: (value) => value === 5,
    boardingExitDelay: (value) => value === 10,
  },
};
const always: Readonly<Record<string, number>> = {
  sessionDuration: 2,
  banThreshold: 3,
  banDuration: 300,
  unrolledVtxoMinExpiryMargin: 10,
};

/** Brings a running operator to where the suites can begin, or says why it is none that they can use. */
export async function openOperator(given: GivenOperator): Promise<RealOperator> {
  const admin = openAdmin(given.adminUrl);
  const chain = openChain(given.btcd);
  await unlocked(admin);
  const settings = await admin.settings();
  const profile = profileOf(settings);
  await funded(admin, chain);
  const info = await until('answers /v1/info', async () => {
    const answer = await fetch(`${given.url}/v1/info`, { signal: AbortSignal.timeout(5_000) });
    if (!answer.ok) throw new Error(`/v1/info answered ${answer.status}: ${(await answer.text()).slice(0, 200)}`);
    return (await answer.json()) as Info;
  });
  if (info.network !== 'regtest' || info.sessionDuration !== '2') {
    throw new Error(
      `The operator at ${given.url} is of network ${info.network} with sessions of ${info.sessionDuration} s; the ` +
        'suites need regtest with sessions of 2 s.',
    );
  }
  return {
    url: given.url,
    version: info.version === undefined || info.version === '' ? 'of an unnamed version' : info.version,
    profile,
    admin,
    chain,
  };
}

/** The rule of the suites: they change nothing of an operator that is not set up for them. */
export function profileOf(settings: Readonly<Record<string, unknown>>): Profile {
  const number = (name: string): number => Number(settings[name]);
  const odd = Object.entries(always).filter(([name, value]) => number(name) !== value);
  const wrong = (profile: Profile): string[] =>
    Object.entries(profiles[profile])
      .filter(([name, fits]) => !fits(number(name)))
      .map(([name]) => name);
  if (odd.length === 0)
    for (const profile of ['seconds', 'expiry'] as const) if (wrong(profile).length === 0) return profile;
  const named = [...odd.map(([name]) => name), ...wrong(number('unilateralExitDelay') < 512 ? 'expiry' : 'seconds')];
  throw new Error(
    'The operator is not set up for these suites: ' +
      `${named.map((name) => `${name} is ${String(settings[name])}`).join(', ')}.`,
  );
}

async function unlocked(admin: OperatorAdmin): Promise<void> {
  const status = await until('answers its admin port', () => admin.walletStatus());
  if (!status.initialized) await admin.createWallet(password);
  if (!status.initialized || !status.unlocked) await admin.unlockWallet(password);
  await until('has its wallet in step with the chain', async () => {
    const now = await admin.walletStatus();
    if (!now.synced) throw new Error(`its wallet is ${JSON.stringify(now)}`);
  });
}

async function funded(admin: OperatorAdmin, chain: OperatorChain): Promise<void> {
  const poor = (await admin.available()) < leastAvailable;
  // Before the chain matures: its first blocks pay most.
  if (poor) await chain.mine(coinsWanted, await admin.walletAddress());
  await chain.mature();
  if (!poor) return;
  // A coinbase can be spent a hundred blocks later.
  await chain.mine(100);
  await until('has coins for its rounds', async () => {
    const available = await admin.available();
    if (available < leastAvailable) throw new Error(`${available} sats are available to it`);
  });
}

/** Waits out the life of a coin: past its expiry, by the wall clock, only a batch moves it. */
export async function outlive(url: string, coin: Outpoint): Promise<void> {
  const answer = await fetch(`${url}/v1/indexer/vtxos?outpoints=${outpointKey(coin)}`, {
    signal: AbortSignal.timeout(5_000),
  });
  const [listed] = ((await answer.json()) as { vtxos: { expiresAt: string }[] }).vtxos;
  if (listed === undefined) throw new Error(`the operator does not know the coin ${outpointKey(coin)}`);
  await pause(Math.max(0, (Number(listed.expiresAt) + 1) * 1_000 - Date.now()));
}

function until<T>(what: string, read: () => Promise<T>): Promise<T> {
  return untilWithin(`the operator ${what}`, read, { limitMs: bootLimit, stepMs: 200 });
}
