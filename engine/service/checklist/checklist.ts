import type { Checklist } from '../../contract/owner/checklist.ts';
import type { Doctor } from '../../contract/owner/doctor.ts';
import type { ServiceContext } from '../context.ts';
import { keepingSteps, type Keeping } from './keeping.ts';
import { liquiditySteps } from './liquidity.ts';
import { networkSteps } from './networks.ts';
import { servingSteps, swapsSomething } from './serving.ts';

/** What a node knows of itself that stands in none of its swaps. */
export interface ChecklistFacts {
  doctor(): Promise<Doctor>;
  keeping(): Promise<Keeping>;
  /** Makes the macaroon that may do what is needed and no more. */
  readonly bakeCommand: string;
  /** Whether any source of the settings names prices or limits. */
  setsTerms(): boolean;
}

/**
 * The way from an empty folder to a node that serves strangers, in order. Each step is what was seen just now, of the
 * doctor, the wallets, the folder and the owner's own swaps; nothing is done when somebody only says so.
 */
export async function checklistOf(context: ServiceContext, facts: ChecklistFacts): Promise<Checklist> {
  const [{ rows }, keeping] = await Promise.all([facts.doctor(), facts.keeping(), context.networks.refresh()]);
  const steps = [
    ...keepingSteps(keeping, rows),
    ...networkSteps(context, rows, facts.bakeCommand),
    ...liquiditySteps(context, rows),
    ...servingSteps(context, facts.setsTerms()),
  ];
  return {
    live: context.live(),
    ready: steps.every(({ needed, state }) => !needed || state === 'done') && swapsSomething(context),
    steps,
  };
}
