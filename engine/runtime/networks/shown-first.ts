import { NotYet } from '../not-yet.ts';

/** What says that a secret of ours may have left us, made before it does. */
interface Note {
  make(): void | Promise<void>;
  /** It did not. */
  drop(): void | Promise<unknown>;
  /** Resolves once the rescue bundle has what was noted; false where that cannot be written. */
  bundled(): Promise<boolean>;
}

/**
 * Notes that our secret leaves us, in the rescue bundle as well, and judges once more when that has it: nothing else is
 * waited for before the secret leaves (facts/faults.md 187, 295). Why it may not; then the note is gone again, as where
 * this throws.
 *
 * Loses money when wrong: a rescue that shows a secret which nobody has, or takes for ours what another can take with
 * it.
 */
export async function judgedOnceNoted(
  lastLook: () => Promise<string | null>,
  { make, drop, bundled }: Note,
): Promise<string | null> {
  let leaves = false;
  await make();
  try {
    if (!(await bundled())) throw new NotYet(5, 'the rescue bundle cannot be written');
    const unsafe = await lastLook();
    leaves = unsafe === null;
    return unsafe;
  } finally {
    if (!leaves) {
      await drop();
      await bundled();
    }
  }
}
