import { eventually as within } from '../../support/scene.ts';

/** These tests keep usual time, and a busy machine takes its own. */
export const patience = { testTimeout: 120_000, hookTimeout: 60_000 };

export function eventually(is: () => boolean | Promise<boolean>, what: string): Promise<void> {
  return within(is, what, 40_000);
}
