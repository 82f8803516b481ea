import type { Network } from '../domain/chain.ts';
import type { Unix } from '../domain/time.ts';
import type { Store } from '../store/store.ts';
import { createSignal } from './signal.ts';

export interface Paused {
  readonly by: 'owner' | 'guard';
  readonly reason: string;
  readonly since: Unix;
}

/**
 * Stops new swaps, never the ones that are open: claims and refunds always run. The owner's pause is saved, and so is
 * distrust of the operator, which nobody but the owner ends; any other of the guard's own stands as long as its cause
 * does.
 */
export function createGuard(store: Store, wall: () => Unix) {
  const { tell: changed, on: onChange } = createSignal<void>();
  let byOwner = store.settings.get<Paused>('paused');
  let distrusted = store.settings.get<Paused>('distrusted');
  const byGuard = new Map<string, Paused>();
  const closures = new Map(Object.entries(store.settings.get<Record<string, string>>('closed-networks') ?? {}));
  /** Settings that no disk took yet, by name: written by whoever asks for the same once more. */
  const unsaved = new Set<string>();

  function saveIfOwed(name: string, value: unknown): void {
    if (!unsaved.has(name)) return;
    store.settings.put(name, value);
    unsaved.delete(name);
  }

  return {
    paused(): Paused | null {
      return byOwner ?? distrusted ?? [...byGuard.values()][0] ?? null;
    },
    /** What only the end of its cause lifts, whatever the owner says. */
    held: (): Paused | null => [...byGuard.values()][0] ?? null,
    pause(reason: string): void {
      byOwner = { by: 'owner', reason, since: wall() };
      store.settings.put('paused', byOwner);
      changed();
    },
    resume(): void {
      byOwner = null;
      distrusted = null;
      store.settings.remove('paused');
      store.settings.remove('distrusted');
      changed();
    },
    /**
     * The operator did what it must not: with it nothing new is begun, over every restart, until the owner resumes.
     * Called once more where that could not be saved.
     */
    distrust(reason: string): void {
      if (distrusted === null) {
        distrusted = { by: 'guard', reason, since: wall() };
        unsaved.add('distrusted');
        changed();
      }
      saveIfOwed('distrusted', distrusted);
    },
    /** A cause of the guard's own, by name: raised and lowered as it comes and goes. */
    raise(cause: string, reason: string): void {
      if (byGuard.has(cause)) return;
      byGuard.set(cause, { by: 'guard', reason, since: wall() });
      changed();
    },
    lower(cause: string): void {
      if (byGuard.delete(cause)) changed();
    },
    /** Why clients begin no new swap over a network, over every restart; null where nothing speaks against it. */
    closed: (network: Network): string | null => closures.get(network) ?? null,
    /** Called once more where that could not be saved. */
    close(network: Network, reason: string | null): void {
      if ((closures.get(network) ?? null) !== reason) {
        if (reason === null) closures.delete(network);
        else closures.set(network, reason);
        unsaved.add('closed-networks');
        changed();
      }
      saveIfOwed('closed-networks', Object.fromEntries(closures));
    },
    onChange,
  };
}

export type Guard = ReturnType<typeof createGuard>;
