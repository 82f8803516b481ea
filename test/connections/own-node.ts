import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRefusal } from '../../engine/domain/errors.ts';
import { startEngine, type Engine } from '../../engine/index.ts';
import { createControls, type SandboxControls } from '../../engine/sandbox/controls.ts';
import type { SandboxEndpoints } from '../../engine/sandbox/endpoints.ts';
import { runSandbox } from '../../engine/sandbox/process.ts';
import { readSettings } from '../../main/settings.ts';
import { openClient, type Client } from '../stories/client/client.ts';

/** The networks of a sandbox, for a node that takes them for an owner's own. */
export interface OwnNetworks {
  readonly endpoints: SandboxEndpoints;
  readonly controls: SandboxControls;
  stop(): Promise<void>;
}

export async function startNetworks(): Promise<OwnNetworks> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-networks-'));
  const sandbox = await runSandbox({ dataDir, port: 0 });
  if (isRefusal(sandbox)) throw new Error(sandbox.sentence);
  return {
    endpoints: sandbox.endpoints,
    controls: createControls(sandbox.endpoints),
    async stop() {
      await sandbox.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A node outside the sandbox, over the folder and the configuration file of an owner. */
export interface OwnNode {
  readonly url: string;
  /** Everything that the log was given, as JSON lines. */
  readonly log: string[];
  /** An owner's call: the status and the body of its answer. */
  call(
    route: string,
    args?: { body?: unknown; params?: unknown },
  ): Promise<{ status: number; body: Record<string, unknown> }>;
  patch(settings: unknown): Promise<{ status: number; body: Record<string, unknown> }>;
  /** State and detail of every network. */
  networks(): Promise<Record<string, { state: string; detail: string; height?: number; lag_seconds?: number }>>;
  client(arkadeUrl: string): Promise<Client>;
  stop(): Promise<void>;
}

export async function startOwnNode(
  folder: string,
  configuration: object,
  environment: Readonly<Record<string, string>> = {},
): Promise<OwnNode> {
  const config = `${folder}.json`;
  writeFileSync(config, JSON.stringify(configuration));
  const settings = readSettings(
    { sandbox: false, config, dataDir: folder, port: 0, passphraseFile: null, passphraseFd: null, mine: false },
    environment,
    process.platform,
  );
  if (isRefusal(settings)) throw new Error(settings.sentence);
  const log: string[] = [];
  const write = (facts: object, text: string): void => void log.push(JSON.stringify({ ...facts, text }));
  const engine: Engine = await startEngine({
    config: settings.config,
    settings: settings.source,
    dataDir: folder,
    stateFolder: null,
    seed: new Uint8Array(64).fill(5),
    token: 'f'.repeat(64),
    log: { info: write, warn: write, error: write },
    sandbox: null,
  });
  const { url } = await engine.listen(0);
  const call: OwnNode['call'] = (route, args = {}) =>
    engine.dispatch(route, args) as Promise<{ status: number; body: Record<string, unknown> }>;
  return {
    url,
    log,
    call,
    patch: (changed) => call('changeSettings', { body: changed }),
    async networks() {
      const { body } = await call('ownerStatus');
      return Object.fromEntries(
        (body['networks'] as { name: string; state: string; detail: string }[]).map(({ name, ...rest }) => [
          name,
          rest,
        ]),
      );
    },
    client: (arkadeUrl) => openClient(url, arkadeUrl),
    stop: () => engine.stop(),
  };
}
