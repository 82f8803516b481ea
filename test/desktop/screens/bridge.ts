import type { BrowserContext } from '@playwright/test';
import type { SetupState } from '../../../preload/setup.ts';

export const seedWords = 'harbor velvet tunnel orbit maple crystal ladder famous winter patrol echo thunder'.split(' ');

/**
 * The desktop's bridge, played inside the page: words, checks and locks as the program answers them, with no node
 * behind it.
 */
export async function playBridge(context: BrowserContext, first: Partial<SetupState> = {}): Promise<void> {
  const begin: SetupState = {
    network: 'sandbox',
    chosen: false,
    seed: 'open',
    ways: ['key-file'],
    keychain: true,
    draft: null,
    node: 'running',
    failure: null,
    ...first,
  };
  await context.addInitScript(
    ({ start, list }) => {
      let state = start;
      const listeners = new Set<(state: SetupState) => void>();
      const calls: unknown[] = [];
      const become = (next: Partial<SetupState>) => {
        state = { ...state, ...next };
        for (const listener of listeners) listener(state);
      };
      const noted = <T>(name: string, request: unknown, answer: T): Promise<T> => {
        calls.push([name, request]);
        return Promise.resolve(answer);
      };
      const setup = {
        state: () => Promise.resolve(state),
        onState(listener: (state: SetupState) => void) {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
        choose(request: { network: SetupState['network'] }) {
          const sandbox = request.network === 'sandbox';
          become({
            network: request.network,
            chosen: true,
            seed: sandbox ? 'open' : 'absent',
            node: sandbox ? 'running' : 'off',
          });
          return noted('choose', request, { done: true });
        },
        make(request: unknown) {
          become({ draft: { count: 12, from: 'made', verified: false, check: [3, 7, 11] } });
          return noted('make', request, { done: true, check: [3, 7, 11] });
        },
        show: (request?: unknown) => noted('show', request ?? null, { done: true, words: list }),
        verify(request: { words: { place: number; word: string }[] }) {
          const words = request.words.map(({ place, word }) => ({
            place,
            is: word === list[place - 1] ? 'right' : list.includes(word) ? 'wrong' : 'unlisted',
            near: word === 'lader' ? ['ladder'] : [],
          }));
          const verified = words.every(({ is }) => is === 'right');
          if (verified && state.draft !== null) become({ draft: { ...state.draft, verified } });
          return noted('verify', request, { done: true, verified, words });
        },
        compare: (request: { words: string }) =>
          noted('compare', request, { done: true, same: request.words.trim() === list.join(' ') }),
        restore(request: { words: string }) {
          const count = request.words.trim().split(/\s+/).length;
          if (count !== 12) return noted('restore', request, { done: false, why: 'word-count', count });
          become({ draft: { count: 12, from: 'restored', verified: true, check: [] } });
          return noted('restore', request, { done: true, count });
        },
        forget() {
          become({ draft: null });
          return noted('forget', null, { done: true });
        },
        lock(request: { passphrase: string | null }) {
          if (request.passphrase !== null && request.passphrase.length < 12)
            return noted('lock', request, { done: false, why: 'passphrase-short', count: 12 });
          become({ draft: null, seed: 'open', node: 'starting' });
          return noted('lock', request, { done: true });
        },
        unlock(request: { passphrase: string }) {
          const right = request.passphrase === 'right and long';
          if (right) become({ seed: 'open', node: 'starting' });
          return noted('unlock', request, right ? { done: true } : { done: false, why: 'wrong-passphrase' });
        },
        startAtLogin: () => Promise.resolve({ done: true, on: false }),
        setStartAtLogin: (request: unknown) => noted('setStartAtLogin', request, { done: true }),
      };
      const api = {
        host: { platform: 'linux', electron: '' },
        call: () => Promise.resolve({ status: 503, body: { error: 'The node is off.' } }),
        on: () => () => undefined,
        setup,
        calls,
      };
      Object.assign(window, { sluice: api });
    },
    { start: begin, list: seedWords },
  );
}
