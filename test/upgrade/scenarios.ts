import type { ArkadeLightningRecord } from '../../engine/contract/directions/arkade-lightning.ts';
import type { LightningArkadeRecord } from '../../engine/contract/directions/lightning-arkade.ts';
import type { Preimage } from '../../engine/domain/hash.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import type { Fate } from '../crash/support/wallet.ts';
import type { Client } from '../support/client.ts';
import type { TestNode } from '../support/node.ts';
import type { World } from '../support/world.ts';

/** What the people around a node know of their swap. */
export interface Opened {
  readonly hash: string;
  /** Where the client has it. */
  readonly secret: Preimage | null;
}

export interface Stage {
  readonly world: World;
  readonly client: Client;
  node(): TestNode;
  fates(): Promise<Fate[]>;
  /** Calls that get no answer, until they are set again. */
  away(...calls: string[]): void;
  /** Keeps what the node and the networks are now. */
  keep(label: string): void;
  /** Does something that a copy in between could not go on with: the act of a client, half done. */
  unseen<T>(act: () => Promise<T>): Promise<T>;
}

interface Scenario<R> {
  readonly name: string;
  /** Opens the swap; what is opened is known before the node is asked. */
  open(stage: Stage, report: (opened: Opened) => void): Promise<unknown>;
  /**
   * What everybody but the node does next, as the networks and the node's state have it: repeated until the swap is
   * over.
   */
  turn(stage: Stage, swap: { readonly record: R; readonly at: string } & Opened): Promise<void>;
  readonly ends: readonly string[];
}

export type LightningArkadeScenario = Scenario<LightningArkadeRecord> & { readonly direction: 'lightning-arkade' };
export type ArkadeLightningScenario = Scenario<ArkadeLightningRecord> & { readonly direction: 'arkade-lightning' };

/** The name of the file that holds what was recorded of it. */
export function fixtureOf({
  direction,
  name,
}: Pick<LightningArkadeScenario | ArkadeLightningScenario, 'direction' | 'name'>) {
  return `${direction}-${name.replaceAll(' ', '-')}`;
}

const hour = 3_600;
const amount = 30_000n;

function openLightning({ client, node }: Stage, report: (opened: Opened) => void) {
  const secret = client.secret();
  report({ secret, hash: toHex(sha256Of(secret)) });
  return client.createLightningArkade(node(), amount, secret);
}

function openArkade({ client, world, node }: Stage, report: (opened: Opened) => void, hold = false) {
  const { bolt11, hash } = world.invoice(amount, { hold, expirySeconds: 48 * hour });
  report({ secret: null, hash: toHex(hash) });
  return client.createArkadeLightning(node(), bolt11, amount);
}

function pay({ world }: Stage, record: LightningArkadeRecord, hash: string): boolean {
  if (world.lightning.payment('outside', hash) !== undefined) return false;
  world.pay(record.bolt11_invoice);
  return true;
}

/** Past the locktime of the record, when that is still to come. */
async function outlast({ world }: Stage, record: LightningArkadeRecord | ArkadeLightningRecord, more = 60) {
  const left = record.vhtlc_refund_locktime + more - world.now();
  if (left > 0) await world.advance(left);
}

/** Funds until this many coins ever came. */
async function fund({ world, fates }: Stage, record: ArkadeLightningRecord, coins = 1): Promise<void> {
  for (let have = (await fates()).length; have < coins; have++)
    world.faucet(record.arkade_vhtlc_address, BigInt(record.source_amount));
}

async function refund(stage: Stage, record: ArkadeLightningRecord): Promise<void> {
  if (!(await stage.fates()).some(({ spent }) => spent === 'unspent')) return;
  const submit = await stage.client.cosignedRefund(stage.node(), record).catch(() => null);
  if (submit !== null) await stage.unseen(submit);
}

export const lightningArkadeScenarios: readonly LightningArkadeScenario[] = [
  {
    direction: 'lightning-arkade',
    name: 'the client claims',
    open: openLightning,
    async turn(stage, { record, at, secret, hash }) {
      if (at === 'pending') pay(stage, record, hash);
      if (at !== 'locked' || secret === null) return;
      if (!(await stage.fates()).some(({ spent }) => spent === 'unspent')) return;
      stage.away('lightning.settle');
      await stage.unseen(() => stage.client.claim(record, secret));
      await stage.node().until(record.id, 'claiming', 'claimed');
      stage.keep('claiming');
      stage.away();
    },
    ends: ['claimed'],
  },
  {
    direction: 'lightning-arkade',
    name: 'the client never claims',
    open: openLightning,
    async turn(stage, { record, at, hash }) {
      if (at === 'pending') pay(stage, record, hash);
      if (at === 'locked') await outlast(stage, record);
    },
    ends: ['refunded'],
  },
  {
    direction: 'lightning-arkade',
    name: 'the client never pays',
    open: openLightning,
    async turn({ world, node, away }, { record, at }) {
      if (at !== 'pending') return;
      // Else the invoice is seen to be over before the node ends it.
      away('lightning.hold', 'lightning.cancel');
      await world.advance(hour);
      await node().until(record.id, 'stopped', 'lapsed');
      away();
    },
    ends: ['lapsed'],
  },
  {
    direction: 'lightning-arkade',
    name: 'the operator is away until it is too late to lock',
    async open(stage, report) {
      const record = await openLightning(stage, report);
      stage.away('arkade.prepareFund');
      return record;
    },
    async turn(stage, { record, at, hash }) {
      if (at === 'pending') pay(stage, record, hash);
      if (at === 'funded') await stage.world.advance(6 * hour);
      if (at === 'locked') await outlast(stage, record);
    },
    ends: ['stopped', 'refunded'],
  },
  {
    direction: 'lightning-arkade',
    name: 'the Lightning node is away when the swap is opened',
    async open(stage, report) {
      stage.away('lightning.createHold');
      await openLightning(stage, report).catch(() => undefined);
      stage.away();
    },
    async turn({ world }, { at }) {
      if (at === 'pending') await world.advance(hour);
    },
    ends: ['unopened', 'lapsed'],
  },
];

export const arkadeLightningScenarios: readonly ArkadeLightningScenario[] = [
  {
    direction: 'arkade-lightning',
    name: 'the payee is paid',
    open: (stage, report) => openArkade(stage, report, true),
    async turn(stage, { record, at, hash }) {
      if (at === 'pending') await fund(stage, record);
      if (at !== 'paying' || stage.world.lightning.invoice('outside', hash)?.state !== 'accepted') return;
      stage.keep('the payment is held');
      stage.world.lightning.release(hash, 'settles');
    },
    ends: ['claimed'],
  },
  {
    direction: 'arkade-lightning',
    name: 'the client funds twice',
    open: openArkade,
    async turn(stage, { record, at }) {
      await fund(stage, record, 2);
      if (at === 'claimed') await refund(stage, record);
    },
    ends: ['claimed'],
  },
  {
    direction: 'arkade-lightning',
    name: 'the payee gives the payment back',
    open: (stage, report) => openArkade(stage, report, true),
    async turn(stage, { record, at, hash }) {
      if (at === 'pending') await fund(stage, record);
      if (at === 'paying' && stage.world.lightning.invoice('outside', hash)?.state === 'accepted')
        stage.world.lightning.release(hash, 'fails');
      if (at === 'stopped') await refund(stage, record);
    },
    ends: ['refunded'],
  },
  {
    direction: 'arkade-lightning',
    name: 'the client funds late',
    open: openArkade,
    async turn(stage, { record, at }) {
      if (at === 'pending') await stage.world.advance(hour);
      if (at !== 'stopped') return;
      await fund(stage, record);
      await refund(stage, record);
    },
    ends: ['refunded'],
  },
  {
    direction: 'arkade-lightning',
    name: 'the client never funds',
    open: openArkade,
    async turn(stage, { record, at }) {
      if (at === 'pending') await stage.world.advance(hour);
      if (at === 'stopped') await outlast(stage, record, 48 * hour);
    },
    ends: ['lapsed'],
  },
];
