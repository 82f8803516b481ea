import type { Refusal } from '../engine/domain/errors.ts';
import type { ChosenNetwork, SetupAnswer, SetupState } from '../preload/setup.ts';
import type { Choice } from './choice.ts';
import { sealedWays } from './keyfile.ts';
import { createSeedDesk, done, refused, type SeedDeskParts } from './seed-desk.ts';
import { seedPath } from './seed.ts';
import type { DesktopNode } from './desktop-node.ts';
import type { SetupRequest } from './setup-request.ts';
import { createStart, type StartParts } from './setup-start.ts';
import { mayEnd, readStakes } from './stakes.ts';

export interface SetupParts extends SeedDeskParts, StartParts {
  readonly choice: Choice;
  readonly startAtLogin: { get(): boolean; set(on: boolean): void };
}

export interface Setup {
  /** Opens the folder and starts the node where nobody has to be asked. */
  begin(): Promise<Refusal | null>;
  state(): Promise<SetupState>;
  answer(request: SetupRequest): Promise<SetupAnswer | SetupState>;
  onChange(listener: () => void): () => void;
}

/** From nothing to a node with its keys, one act at a time. */
export function createSetup(parts: SetupParts): Setup {
  const { node, choice } = parts;
  const desk = createSeedDesk(parts);
  const listeners = new Set<() => void>();
  const start = createStart(parts);
  const { opened, open, startWith } = start;
  let acting = false;

  const changed = () => {
    for (const listener of listeners) listener();
  };
  node.onChange(changed);

  async function state(): Promise<SetupState> {
    const here = opened();
    const sealed = here === null ? null : sealedWays(seedPath(here.folder));
    const run = node.state();
    return {
      network: here?.network ?? 'sandbox',
      chosen: choice.fixed || choice.network() !== null,
      seed: hasKeys(node) ? 'open' : (sealed?.is ?? 'absent'),
      ways: sealed?.is === 'sealed' ? sealed.ways : [],
      keychain: await desk.keychainHolds(),
      draft: desk.draft(),
      node: run.is,
      failure: run.is === 'failed' ? run.sentence : start.failure(),
    };
  }

  async function choose(network: ChosenNetwork): Promise<SetupAnswer> {
    if (choice.fixed) return refused('fixed-by-start');
    const here = opened();
    if (here?.network === network) {
      choice.choose(network);
      return done;
    }
    const engine = node.engine();
    // The sandbox's swaps are play money, and its networks wait for the next start.
    if (engine !== null && here?.sandbox === false && !mayEnd(true, await readStakes(engine)))
      return refused('swaps-open');
    desk.forget();
    if (here !== null) await node.close();
    const refusal = await open(network);
    if (refusal !== null) {
      start.fail(refusal.sentence);
      return refused('folder-refused');
    }
    choice.choose(network);
    return done;
  }

  async function act(request: Exclude<SetupRequest, { do: 'state' }>): Promise<SetupAnswer> {
    if (request.do === 'choose') return choose(request.network);
    const here = opened();
    if (here === null) return refused('folder-refused');
    switch (request.do) {
      case 'make':
        return desk.make(here, request.words);
      case 'show':
        return desk.show(here, request.passphrase ?? null);
      case 'verify':
        return desk.verify(request.words);
      case 'compare':
        return desk.compare(here, request.words, request.passphrase ?? null);
      case 'restore':
        return desk.restore(here, request.words);
      case 'forget':
        desk.forget();
        return done;
      case 'lock':
        return started(await desk.lock(here, request));
      case 'unlock':
        return hasKeys(node) ? done : started(await desk.entropyBy(here, request.passphrase));
      case 'startAtLogin':
        return { ...done, on: parts.startAtLogin.get() } as SetupAnswer;
      case 'setStartAtLogin':
        parts.startAtLogin.set(request.on);
        return done;
    }
  }

  async function started(entropy: Uint8Array | SetupAnswer): Promise<SetupAnswer> {
    if (!(entropy instanceof Uint8Array)) return entropy;
    await startWith(entropy);
    return done;
  }

  return {
    begin: () => open(choice.fixed ? null : choice.network()),
    state,
    async answer(request) {
      if (request.do === 'state') return state();
      if (acting) return refused('busy');
      acting = true;
      try {
        return await act(request);
      } finally {
        acting = false;
        changed();
      }
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function hasKeys(node: DesktopNode): boolean {
  return node.state().is === 'running' || node.state().is === 'starting';
}
