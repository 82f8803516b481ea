import type { Ceilings } from '../../quote/ceilings.ts';
import type { EvmNetwork } from '../../domain/chain.ts';
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
import type { GasToCome } from './evm/gas-to-come.ts';
import { createLocksTogether } from './evm/locks-together.ts';
import type { RulesOf } from './evm/rules.ts';
import { forbidden } from './only-if.ts';
import type { JointClaims } from './onchain/joint-claims.ts';
import type { MinedCoin } from './onchain/judge.ts';
import type { SentMemory } from './sent-memory.ts';
import { createShallow, type DepthOfMuch } from './shallow.ts';
import { stillWanted } from './still-wanted.ts';

/** What belongs to one effect alone. */
interface OneEffect extends Pick<CommonContext, 'row' | 'answer' | 'tell'> {
  readonly signal: AbortSignal;
  raiseAsked(): boolean;
  bundled(): Promise<boolean>;
}

/** Deals out what the node has, to each network what is its own. */
export function createContexts(node: {
  /** As they are now: what must hold before an act is judged by these. */
  readonly ports: Ports;
  /** As effects read them. */
  readonly brief: Ports;
  readonly store: Store;
  readonly workingSet: Pick<WorkingSet, 'find' | 'readable'>;
  readonly clock: Clock;
  readonly wallets: Pick<Wallets, 'alone'>;
  readonly together: Commits['together'];
  readonly ceilings: () => Ceilings;
  readonly depthOfMuch: () => DepthOfMuch;
  readonly evm: RulesOf;
  readonly unpaid: UnpaidCosts;
  readonly nameContracts: NameContracts;
  readonly taken: Pick<SentMemory, 'add' | 'forget'>;
  readonly jointClaims: JointClaims;
  readonly gasToCome: GasToCome;
  /** What a claim from memory sent for a swap. */
  readonly unsavedOf: (swap: string) => Uint8Array | null;
  /** A transaction of our account on this chain waits to be sent. */
  readonly onSigned: (network: EvmNetwork) => void;
}): (one: OneEffect) => Contexts {
  const { ports, brief, store, clock, together, ceilings, evm, unpaid, nameContracts, taken, unsavedOf } = node;
  const { jointClaims, workingSet, gasToCome, onSigned } = node;
  const { alone } = node.wallets;
  const isAtStake = (swap: string): boolean => {
    const entry = workingSet.readable(swap);
    return entry?.machine.isAtStake?.(entry.row.progress) ?? true;
  };
  const isInDoubt = (swap: string): boolean => workingSet.readable(swap)?.row.open !== false && isAtStake(swap);
  const shallow = createShallow<MinedCoin>('coin', node.depthOfMuch, isAtStake);
  const locks = createLocksTogether(evm, { isAtStake, isInDoubt });
  const judgeOf = (swap: string): Judge => ({
    forbidden: (onlyIf, maxTimeoutHeight, isBegun) =>
      forbidden(onlyIf, maxTimeoutHeight, { ports, clock, gasToCome, shallow, locks, swap, ceilings, evm }, isBegun),
    stillWanted: (onlyIf) => stillWanted(onlyIf, { ports, clock, shallow, locks, swap }),
  });
  const moves = (id: string, event: Event): boolean => {
    const swap = workingSet.find(id);
    return swap !== null && swap.machine.step(swap.row.terms, swap.row.progress, event, clock.now()) !== 'stay';
  };
  return ({ row, answer, tell, signal, raiseAsked, bundled }) => {
    const judge = judgeOf(row.subject);
    const common = { clock, row, answer, tell, together, bundled, judge, store, ports: brief };
    const unsaved = (): Uint8Array | null => unsavedOf(row.subject);
    const onEvm = { ...common, alone, evm, unpaid, gasToCome, nameContracts, taken, unsaved, onSigned };
    return {
      lightning: common,
      arkade: { ...common, alone, ceilings, unpaid, signal },
      onchain: { ...common, alone, ceilings, unpaid, raiseAsked, taken, jointClaims },
      evm: onEvm,
      provider: { ...onEvm, ceilings, raiseAsked, jointClaims, moves: (event) => moves(row.subject, event) },
    };
  };
}
