import { isRefusal, type Refusal } from '../engine/domain/errors.ts';
import type { ChosenNetwork } from '../preload/setup.ts';
import { chosenStart } from './choice.ts';
import type { DesktopNode } from './desktop-node.ts';
import type { HostFlags } from './flags.ts';
import type { HostParts } from './host.ts';
import type { Keychain } from './keychain.ts';
import { sealedWays } from './keyfile.ts';
import { passphraseOf } from './passphrase.ts';
import { loadEntropy, seedOf, seedPath } from './seed.ts';

export interface StartParts {
  readonly node: DesktopNode;
  readonly flags: HostFlags;
  readonly environment: HostParts['environment'];
  readonly keychain: Keychain;
}

/** The folder is opened and the node started from it, and what came of that last. */
export function createStart({ node, flags, environment, keychain }: StartParts) {
  let failure: string | null = null;

  function opened() {
    const folder = node.folder();
    if (folder === null) return null;
    const { sandbox, network } = folder.config;
    return { folder: folder.folder, sandbox, network: sandbox ? ('sandbox' as const) : network };
  }

  async function open(network: ChosenNetwork | null): Promise<Refusal | null> {
    failure = null;
    const start = chosenStart(network, flags, environment);
    const refusal = await node.open(start.flags, start.environment);
    if (refusal !== null) return refusal;
    const passphrase = passphraseOf(flags);
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

  return {
    opened,
    open,
    startWith,
    failure: () => failure,
    fail(sentence: string): void {
      failure = sentence;
    },
  };
}
