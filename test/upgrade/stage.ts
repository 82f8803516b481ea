import { setTimeout as pause } from 'node:timers/promises';
import type { ArkadeLightningRecord } from '../../engine/contract/directions/arkade-lightning.ts';
import type { LightningArkadeRecord } from '../../engine/contract/directions/lightning-arkade.ts';
import { asSha256 } from '../../engine/domain/hash.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { createLightningPort } from '../support/sandbox-ports/lightning.ts';
import { conservation, faultsOf, type Balances, type Verdict } from '../crash/support/verdict.ts';
import { balanceAt, fatesAt, termsOf } from '../crash/support/wallet.ts';
import { openClient, type Client } from '../support/client.ts';
import type { TestNode } from '../support/node.ts';
import type { World } from '../support/world.ts';
import type { ArkadeLightningScenario, LightningArkadeScenario, Opened, Stage } from './scenarios.ts';

export type AnyTale = LightningArkadeScenario | ArkadeLightningScenario;

const patienceMs = 60_000;

/** The people around a node in a world, and what the networks say of them. */
export async function openStage(
  world: World,
  node: () => TestNode,
  options: Pick<Stage, 'away' | 'keep' | 'unseen'> = {
    away: () => undefined,
    keep: () => undefined,
    unseen: (act) => act(),
  },
) {
  const client: Client = await openClient(world);
  const { signer: operator } = await client.port.info();
  const lightning = createLightningPort(world.lightning);
  const { script: clientScript } = await client.port.address();

  function record(): LightningArkadeRecord | ArkadeLightningRecord | null {
    const id = swapId(node());
    return id === null ? null : ((node().service.swap(id)?.record as LightningArkadeRecord | undefined) ?? null);
  }

  async function fates() {
    const own = record();
    return own === null ? [] : fatesAt(client.port, termsOf(own, operator));
  }

  const stage: Stage = { world, client, node, fates, ...options };

  async function balances(): Promise<Balances> {
    const { node: own, outgoing, incoming } = world.balances();
    const { script } = await nodeAddress(node());
    return {
      lightningMsat: own,
      unsettledMsat: outgoing + incoming,
      arkade: await balanceAt(client.port, script),
      client: await balanceAt(client.port, clientScript),
    };
  }

  /** Every turn of the scenario until the swap is over. */
  async function play(scenario: AnyTale, opened: Opened): Promise<void> {
    for (const deadline = Date.now() + patienceMs; ; await pause(3)) {
      const id = swapId(node());
      const row = id === null ? null : (node().runtime.workingSet.find(id)?.row ?? null);
      // A payment that had begun when the node died is watched on, whatever became of it.
      const isOver = row !== null && (!row.open || Object.hasOwn(row.progress, 'doubt'));
      if (isOver && scenario.ends.includes(row.progress.at)) return;
      const own = record();
      const at = row?.progress.at ?? '';
      if (own !== null && scenario.direction === 'lightning-arkade')
        await scenario.turn(stage, { ...opened, at, record: own as LightningArkadeRecord });
      if (own !== null && scenario.direction === 'arkade-lightning')
        await scenario.turn(stage, { ...opened, at, record: own as ArkadeLightningRecord });
      if (Date.now() > deadline)
        throw new Error(`${scenario.name}: the swap is ${at}\n${node().logged.slice(-12).join('\n')}`);
    }
  }

  /** What is wrong once it is over: of the swap, and of everybody's money. */
  async function faults({ direction }: AnyTale, { hash }: Opened, before: Balances): Promise<string[]> {
    const own = record();
    const paid = new Map(
      world.lightning
        .payments('node')
        .filter(({ outcome }) => outcome === 'settled')
        .map((payment) => [payment.hash, { count: 1, msat: payment.amountMsat + payment.feeMsat }]),
    );
    if (own === null) return conservation(before, await balances(), [], paid);
    const key = asSha256(fromHex(hash));
    const judged: Verdict = {
      direction,
      scenario: { hash, record: own },
      coins: await fates(),
      hold: direction === 'lightning-arkade' ? (await lightning.hold(key)).is : null,
      payment: direction === 'arkade-lightning' ? await lightning.payment(key) : null,
    };
    return [...faultsOf(judged), ...conservation(before, await balances(), [judged], paid)];
  }

  return { stage, balances, play, faults };
}

/** The one swap of the node. */
export function swapId({ store }: TestNode): string | null {
  return store.swaps.page({ limit: 1 })[0]?.id ?? null;
}

/** What its owner is shown of it, but for the record: that is put together anew by each build. */
export function toldOf({ service }: TestNode, id: string): string {
  return JSON.stringify({ ...service.owner.swap(id), record: null });
}

async function nodeAddress({ ports }: TestNode): Promise<{ script: Uint8Array }> {
  if (ports.arkade === null) throw new Error('the node has no operator');
  return ports.arkade.address();
}
