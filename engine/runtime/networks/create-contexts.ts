import type { Ceilings } from '../../quote/ceilings.ts';
import type { Store } from '../../store/store.ts';
import type { Event } from '../../swap/machine.ts';
import type { Clock } from '../clock.ts';
import type { Commits } from '../commit.ts';
import type { Ports } from '../ports.ts';
import type { UnpaidCosts } from '../unpaid.ts';
import type { Wallets } from '../wallets.ts';
import type { WorkingSet } from '../working-set.ts';
import type { CommonContext, Judge } from './context.ts';
import type { Contexts } from './contexts.ts';
import type { NameContracts } from './evm/context.ts';
import type { RulesOf } from './evm/rules.ts';
import { createShownClaims } from './evm/shown-claims.ts';
import { stillWanted } from './lightning/held.ts';
import { forbidden } from './only-if.ts';
import type { JointClaims } from './onchain/joint-claims.ts';
import type { SentMemory } from './sent-memory.ts';

/** What belongs to one effect alone. */
interface OneEffect extends Pick<CommonContext, 'row' | 'answer' | 'tell'> {
  readonly signal: AbortSignal;
  raiseAsked(): boolean;
}

/** Deals out what the node has, to each network what is its own. */
export function createContexts(node: {
  /** As they are now: what must hold before an act is judged by these. */
  readonly ports: Ports;
  /** As effects read them. */
  readonly brief: Ports;
  readonly store: Store;
  readonly workingSet: Pick<WorkingSet, 'all' | 'find'>;
  readonly clock: Clock;
  readonly wallets: Pick<Wallets, 'alone'>;
  readonly together: Commits['together'];
  readonly ceilings: () => Ceilings;
  readonly evm: RulesOf;
  readonly unpaid: UnpaidCosts;
  readonly nameContracts: NameContracts;
  readonly taken: Pick<SentMemory, 'add' | 'forget'>;
  readonly jointClaims: JointClaims;
  /** What a claim from memory sent for a swap. */
  readonly unsavedOf: (swap: string) => Uint8Array | null;
}): (one: OneEffect) => Contexts {
  const { ports, brief, store, clock, together, ceilings, evm, unpaid, nameContracts, taken, unsavedOf } = node;
  const { jointClaims, workingSet } = node;
  const { alone } = node.wallets;
  const shownClaims = createShownClaims(node);
  const judge: Judge = {
    forbidden: (onlyIf, maxTimeoutHeight) =>
      forbidden(onlyIf, maxTimeoutHeight, { ports, clock, shownClaims, ceilings, evm }),
    stillWanted: (onlyIf) => stillWanted(onlyIf, { ports, clock }),
  };
  const moves = (id: string, event: Event): boolean => {
    const swap = workingSet.find(id);
    return swap !== null && swap.machine.step(swap.row.terms, swap.row.progress, event, clock.now()) !== 'stay';
  };
  return ({ row, answer, tell, signal, raiseAsked }) => {
    const common = { clock, row, answer, tell, together, judge, store, ports: brief };
    const onEvm = { ...common, alone, evm, unpaid, nameContracts, taken, unsaved: () => unsavedOf(row.subject) };
    return {
      lightning: common,
      arkade: { ...common, alone, ceilings, unpaid, signal },
      onchain: { ...common, alone, ceilings, unpaid, raiseAsked, taken, jointClaims },
      evm: onEvm,
      provider: { ...onEvm, ceilings, raiseAsked, jointClaims, moves: (event) => moves(row.subject, event) },
    };
  };
}
