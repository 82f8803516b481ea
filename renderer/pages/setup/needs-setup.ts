import type { SetupState } from '../../../preload/setup.ts';

/** Whether the keys or the owner's choice are missing, so that nothing else can be shown. */
export function needsSetup({ chosen, seed, node }: SetupState): boolean {
  return !chosen || seed !== 'open' || node === 'failed' || node === 'starting';
}
