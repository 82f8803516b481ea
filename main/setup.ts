import { isRefusal, type Refusal } from '../engine/domain/errors.ts';
import type { ChosenNetwork, SetupAnswer, SetupState } from '../preload/setup.ts';
import { chosenStart, type Choice } from './choice.ts';
import type { DesktopNode } from './desktop-node.ts';
import type { HostFlags } from './flags.ts';
import type { HostParts } from './host.ts';
import { passphraseOf } from './passphrase.ts';
import { sealedWays } from './keyfile.ts';
import { createSeedDesk, done, refused, type SeedDeskParts } from './seed-desk.ts';
import { loadEntropy, seedOf, seedPath } from './seed.ts';
import type { SetupRequest } from './setup-request.ts';
import { mayEnd, readStakes } from './stakes.ts';

export interface SetupParts extends SeedDeskParts {
  readonly node: DesktopNode;
  readonly flags: HostFlags;
  readonly environment: HostParts['environment'];
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
  const { node, choice, keychain } = parts;
  const desk = createSeedDesk(parts);
  const listeners = new Set<() => void>();
  let failure: string | null = null;
  let acting = false;

  const changed = () => {
    for (const listener of listeners) listener();
  };
  node.onChange(changed);

  function opened() {
    const folder = node.folder();
    if (folder === null) return null;
    const { sandbox, network } = folder.config;
    return { folder: folder.folder, sandbox, network: sandbox ? ('sandbox' as const) : network };
  }

  async function open(network: ChosenNetwork | null): Promise<Refusal | null> {
    failure = null;
    const start = chosenStart(network, parts.flags, parts.environment);
    const refusal = await node.open(start.flags, start.environment);
    if (refusal !== null) return refusal;
    const passphrase = passphraseOf(parts.flags);
    if (isRefusal(passphrase)) return passphrase;
    await startUnasked(passphrase);
    return null;
  }

  /** Starts the node if its keys are there and nobody has to be asked for them. */
  async function startUnasked(passphrase: Uint8Array | null): Promise<void> {
    const here = opened();
    if (here === null) return;
    const sealed = sealedWays(seedPath(here.folder));
    if (sealed.is === 'absent' && !here.sandbox) return;
    const entropy = await loadEntropy({ ...here, passphrase, keychain });
    passphrase?.fill(0);
    if (!isRefusal(entropy)) return startWith(entropy);
    const asks = passphrase === null && sealed.is === 'sealed' && sealed.ways.includes('passphrase');
    if (!asks) failure = entropy.sentence;
  }

  async function startWith(entropy: Uint8Array): Promise<void> {
    failure = null;
    const seed = await seedOf(entropy);
    entropy.fill(0);
    node.start(seed);
  }

  const hasKeys = () => node.state().is === 'running' || node.state().is === 'starting';

  async function state(): Promise<SetupState> {
    const here = opened();
    const sealed = here === null ? null : sealedWays(seedPath(here.folder));
    const run = node.state();
    return {
      network: here?.network ?? 'sandbox',
      chosen: choice.fixed || choice.network() !== null,
      seed: hasKeys() ? 'open' : (sealed?.is ?? 'absent'),
      ways: sealed?.is === 'sealed' ? sealed.ways : [],
      keychain: await desk.keychainHolds(),
      draft: desk.draft(),
      node: run.is,
      failure: run.is === 'failed' ? run.sentence : failure,
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
      failure = refusal.sentence;
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
        return hasKeys() ? done : started(await desk.entropyBy(here, request.passphrase));
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
