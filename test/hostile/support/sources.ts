import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { endpointsFile, sandboxFolder, type SandboxEndpoints } from '../../../engine/sandbox/endpoints.ts';
import type { SandboxControls } from '../../../engine/sandbox/controls.ts';
import type { Chance } from '../../crash/support/chance.ts';
import { directions } from './honest.ts';
import { count, type Kind } from './kind.ts';
import { lyingEsplora, type Lie } from '../../support/lying-esplora.ts';
import { openGate } from '../../support/tcp-gate.ts';

/** Everybody that the node asks, by ways that only the node takes: what they do to it they do to nobody else. */
export interface Sources {
  /** Writes down for the node in this folder where it finds its networks. */
  tell(dataDir: string): void;
  /** By name: each comes, stays for a moment, and is over. */
  readonly faults: Readonly<Record<string, () => Promise<void>>>;
  /** An RPC tells of blocks and transactions that there are none of, for a moment. */
  lie(): Promise<void>;
  /** Milliseconds since then in which nothing new was begun over some EVM chain, or may not be, for its RPCs differ. */
  doubtMs(since: number): number;
  stop(): Promise<void>;
}

/** Milliseconds that a fault stays, and between two of them. */
const stays = { least: 1_000, most: 6_000 };
const apart = { least: 1_500, most: 6_000 };

/**
 * After RPCs contradicted each other the node begins nothing new over their chain for ten minutes and a few looks: once
 * everybody was served, and seldom.
 */
const doubtMs = 630_000;
const lieEveryMs = 720_000;
const lied = 'an RPC that lies';

/** One after the other: a node whose networks are all away at once has nobody to serve. */
export const misbehave: Kind = async ({ sources: { faults, lie }, chance, served }, tally, isOver) => {
  let nextLie = 0;
  while (!isOver()) {
    const isLie = served.size === directions.length && performance.now() > nextLie;
    const [what, fault] = isLie ? ([lied, lie] as const) : chance.pick(Object.entries(faults));
    if (isLie) nextLie = performance.now() + lieEveryMs;
    await fault();
    count(tally, what);
    await pause(chance.between(apart.least, apart.most));
  }
};

export async function openSources(
  endpoints: SandboxEndpoints,
  controls: SandboxControls,
  chance: Chance,
): Promise<Sources> {
  const arkade = await openGate(placeOf(endpoints.arkade.url));
  const lnd = await openGate(placeOf(`http://${endpoints.lnd.socket}`));
  const esplora = await lyingEsplora(endpoints.bitcoin.esploraUrl);
  const chains = await Promise.all(
    Object.entries(endpoints.evm ?? {}).map(async ([id, chain]) => ({
      id,
      chain,
      gate: await openGate(placeOf(chain.rpcUrl)),
    })),
  );
  const gates = [arkade, lnd, ...chains.map(({ gate }) => gate)];
  let doubtUntil = 0;
  const moment = () => pause(chance.between(stays.least, stays.most));

  async function lies(how: Lie): Promise<void> {
    esplora.lie(how);
    await moment();
    esplora.lie(null);
  }

  const ofTheNode: SandboxEndpoints = {
    ...endpoints,
    arkade: { ...endpoints.arkade, url: through(endpoints.arkade.url, arkade.port) },
    lnd: { ...endpoints.lnd, socket: `127.0.0.1:${lnd.port}` },
    bitcoin: { ...endpoints.bitcoin, esploraUrl: esplora.url },
    evm: Object.fromEntries(
      chains.map(({ id, chain, gate }) => [id, { ...chain, rpcUrl: through(chain.rpcUrl, gate.port) }]),
    ),
  };

  return {
    tell(dataDir) {
      mkdirSync(sandboxFolder(dataDir), { recursive: true, mode: 0o700 });
      writeFileSync(endpointsFile(dataDir), JSON.stringify(ofTheNode), { mode: 0o600 });
    },
    faults: {
      /** Connections that stand say nothing more, and nobody ends them. */
      async 'silent connections'() {
        chance.pick(gates).freeze();
        await moment();
      },
      async 'broken connections'() {
        const gate = chance.pick(gates);
        await gate.shut();
        await moment();
        await gate.open();
      },
      'a silent Esplora server': () => lies(() => 'silent'),
      'an Esplora server that fails': () => lies(() => ({ status: 500, body: 'no' })),
      'an Esplora server that answers nonsense': () => lies(() => ({ status: 200, body: '<html>sorry</html>' })),
      'an Esplora server that has never heard of any transaction': () =>
        lies((path) => (path.startsWith('/tx/') ? { status: 404, body: 'Transaction not found' } : undefined)),
      async 'an RPC that lags'() {
        await evmFault(controls, chance.pick(chains).id, 'lags', moment);
      },
      async 'an operator that is away'() {
        await controls.arkadeFault({ operator: 'away' });
        await moment();
        await controls.arkadeFault({ operator: 'back' });
      },
      async 'an answer of the operator that is lost'() {
        await controls.arkadeFault({ next_submit: 'unanswered' });
      },
      async 'an event of the operator that is lost'() {
        await controls.arkadeFault({ next_event: 'dropped' });
      },
      async 'a Lightning node that is away'() {
        await controls.lightningFault({ node: 'away' });
        await moment();
        await controls.lightningFault({ node: 'back' });
      },
    },
    async lie() {
      await evmFault(controls, chance.pick(chains).id, 'lies', moment);
      doubtUntil = performance.now() + doubtMs;
    },
    doubtMs: (since) => Math.max(0, doubtUntil - Math.max(since, doubtUntil - doubtMs)),
    async stop() {
      esplora.lie(null);
      await Promise.all(gates.map((gate) => gate.shut()));
      await esplora.stop();
    },
  };
}

async function evmFault(
  controls: SandboxControls,
  chain: string,
  rpc: 'lies' | 'lags',
  moment: () => Promise<void>,
): Promise<void> {
  await controls.evmFault(chain, { rpc });
  await moment();
  await controls.evmFault(chain, { rpc: 'back' });
}

function placeOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

function through(url: string, port: number): string {
  const place = new URL(url);
  place.port = String(port);
  // As it was written: with or without a path.
  return place.href.replace(/\/$/, '');
}
