import type { SetupApi, SetupState } from '../../../preload/setup.ts';

/** All that a step of the set-up is given: its acts, and what is set up so far. */
export interface SetupStep {
  readonly setup: SetupApi;
  readonly state: SetupState;
}
