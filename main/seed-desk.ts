import { isRefusal } from '../engine/domain/errors.ts';
import { machineClock } from '../engine/machine-clock.ts';
import { noteWordsCompared } from '../engine/store/seed-marks.ts';
import type { CheckedWord, SetupAnswer, SetupRefusal, SetupState, SetupWhy } from '../preload/setup.ts';
import { checkWords, makeDraft, nearWords, restoredDraft, type Draft } from './draft.ts';
import { keepSeed } from './keep-seed.ts';
import { sealedWays } from './keyfile.ts';
import type { Keychain } from './keychain.ts';
import { loadEntropy, readWords, seedPath, shortestPassphrase, wordsOf, type ReadWords } from './seed.ts';

export interface SeedDeskParts {
  readonly keychain: Keychain;
  /** Whether what the keychain holds is really sealed; a system may fake one with a password that everybody knows. */
  readonly keychainSeals: () => boolean;
  /** Asks the owner outside the page, where no script can answer. */
  readonly confirmShow: () => Promise<boolean>;
  /** Waits so many milliseconds. */
  readonly pause: (ms: number) => Promise<unknown>;
}

/** The folder that the words are for. */
export interface SeedFolder {
  readonly folder: string;
  readonly sandbox: boolean;
}

const probeMs = 15_000;
/**
 * What a wrong passphrase waits for its answer: twice as long after each, so that a script in the page does not try
 * thousands.
 */
const wrongMs = { first: 500, most: 30_000 };

export const done = { done: true } as const;

export function refused(why: SetupWhy, more: Omit<SetupRefusal, 'done' | 'why'> = {}): SetupRefusal {
  return { done: false, why, ...more };
}

/** By the passphrase where the file has that way in, else by what the computer itself keeps. */
function createUnsealing({ keychain, pause }: Pick<SeedDeskParts, 'keychain' | 'pause'>) {
  let wrongs = 0;
  return async (opened: SeedFolder, text: string | null): Promise<Uint8Array | SetupRefusal> => {
    const sealed = sealedWays(seedPath(opened.folder));
    if (sealed.is === 'absent') return refused('no-seed');
    if (sealed.is === 'damaged') return refused('damaged');
    const sealedBy = sealed.ways.includes('passphrase');
    if (sealedBy && text === null) return refused('passphrase-needed');
    const passphrase = sealedBy && text !== null ? Buffer.from(text.normalize('NFKC')) : null;
    const entropy = await loadEntropy({ ...opened, passphrase, keychain });
    passphrase?.fill(0);
    if (!isRefusal(entropy)) {
      wrongs = 0;
      return entropy;
    }
    if (entropy.refusal === 'invalid') return refused('damaged');
    if (!sealedBy) return refused('keychain-away');
    await pause(Math.min(wrongMs.most, wrongMs.first * 2 ** wrongs++));
    return refused('wrong-passphrase');
  };
}

/**
 * Words between the owner, this computer's memory and the sealed file. Entropy that it answers is the caller's to wipe.
 */
export function createSeedDesk(parts: SeedDeskParts) {
  const { keychain } = parts;
  const entropyBy = createUnsealing(parts);
  let draft: Draft | null = null;
  let probe: { readonly at: number; readonly answer: Promise<boolean> } | null = null;

  function forget(): void {
    draft?.entropy.fill(0);
    draft = null;
  }

  function hold({ folder }: SeedFolder, next: Draft): SetupRefusal | null {
    if (sealedWays(seedPath(folder)).is !== 'absent') return refused('seed-exists');
    forget();
    draft = next;
    return null;
  }

  /** A keychain that does not answer takes seconds to say so, and the page asks at each change. */
  function keychainHolds(): Promise<boolean> {
    if (!parts.keychainSeals()) return Promise.resolve(false);
    if (probe === null || performance.now() - probe.at > probeMs)
      probe = { at: performance.now(), answer: keychain.available() };
    return probe.answer;
  }

  return {
    forget,
    keychainHolds,
    draft: (): SetupState['draft'] =>
      draft === null ? null : { count: draft.count, from: draft.from, verified: draft.verified, check: draft.check },

    make(opened: SeedFolder, count: 12 | 24): SetupAnswer<{ check: readonly number[] }> {
      const made = makeDraft(count);
      return hold(opened, made) ?? { ...done, check: made.check };
    },

    restore(opened: SeedFolder, text: string): SetupAnswer<{ count: 12 | 24 }> {
      const read = readWords(text);
      if (read.is !== 'words') return wordsRefused(read);
      const next = restoredDraft(read.entropy);
      return hold(opened, next) ?? { ...done, count: next.count };
    },

    verify(
      typed: readonly { place: number; word: string }[],
    ): SetupAnswer<{ verified: boolean; words: readonly CheckedWord[] }> {
      if (draft === null) return refused('no-words');
      const checked = checkWords(draft, typed);
      draft = checked.draft;
      return { ...done, verified: draft.verified, words: checked.words };
    },

    async show(opened: SeedFolder, text: string | null): Promise<SetupAnswer<{ words: readonly string[] }>> {
      if (draft !== null) return { ...done, words: wordsOf(draft.entropy).split(' ') };
      const entropy = await entropyBy(opened, text);
      if (!(entropy instanceof Uint8Array)) return entropy;
      const words = wordsOf(entropy).split(' ');
      entropy.fill(0);
      // Whoever knows the passphrase is the owner; a keychain opens for any script in the page.
      const sealed = sealedWays(seedPath(opened.folder));
      const proven = sealed.is === 'sealed' && sealed.ways.includes('passphrase');
      return proven || (await parts.confirmShow()) ? { ...done, words } : refused('declined');
    },

    async compare(opened: SeedFolder, words: string, text: string | null): Promise<SetupAnswer<{ same: boolean }>> {
      const read = readWords(words);
      if (read.is !== 'words') return wordsRefused(read);
      const entropy = await entropyBy(opened, text);
      if (!(entropy instanceof Uint8Array)) return entropy;
      const same = Buffer.from(entropy).equals(read.entropy);
      entropy.fill(0);
      if (same) noteWordsCompared(opened.folder, machineClock());
      return { ...done, same };
    },

    /** Seals the words and forgets them here. */
    async lock(
      { folder }: SeedFolder,
      request: { readonly keychain: boolean; readonly passphrase: string | null },
    ): Promise<Uint8Array | SetupRefusal> {
      if (draft === null) return refused('no-words');
      if (!draft.verified) return refused('not-verified');
      if (!request.keychain && request.passphrase === null) return refused('no-way');
      const text = request.passphrase?.normalize('NFKC') ?? null;
      if (text !== null && [...text].length < shortestPassphrase)
        return refused('passphrase-short', { count: shortestPassphrase });
      if (request.keychain && !(parts.keychainSeals() && (await keychain.available()))) return refused('keychain-away');
      if (sealedWays(seedPath(folder)).is !== 'absent') return refused('seed-exists');
      const passphrase = text === null ? null : Buffer.from(text);
      const outcome = await keepSeed({
        folder,
        entropy: draft.entropy,
        passphrase,
        keychain: request.keychain ? keychain : null,
        usedElsewhere: draft.from === 'restored',
        compared: true,
      });
      passphrase?.fill(0);
      // The words are still here: the owner may choose the passphrase instead.
      if (outcome === 'keychain-away') return refused('keychain-away');
      const entropy = Uint8Array.from(draft.entropy);
      forget();
      return entropy;
    },

    entropyBy,
  };
}

function wordsRefused(read: Exclude<ReadWords, { is: 'words' }>): SetupRefusal {
  switch (read.is) {
    case 'unlisted':
      return refused('unlisted', { place: read.place, near: nearWords(read.word) });
    case 'word-count':
      return refused('word-count', { count: read.count });
    case 'words-do-not-fit':
      return refused('words-do-not-fit');
  }
}
