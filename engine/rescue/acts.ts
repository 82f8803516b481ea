import type { EvmAct } from '../legs/evm/acts.ts';
import type { EvmEffect } from '../legs/evm/effects.ts';
import type { Act, Acts, EffectOf } from '../runtime/networks/act.ts';
import { laneOf, type EveryAct } from '../runtime/networks/acts.ts';
import { arkadeHome } from '../runtime/networks/arkade/execute.ts';
import type { Contexts } from '../runtime/networks/contexts.ts';
import { evmActs } from '../runtime/networks/evm/execute.ts';
import { lightningHome } from '../runtime/networks/lightning/execute.ts';
import { onchainHome } from '../runtime/networks/onchain/execute.ts';
import { NotYet } from '../runtime/not-yet.ts';
import { arkadeOf, bitcoinOf } from '../runtime/ports.ts';
import type { Effect, Event } from '../swap/machine.ts';

/*
 * What a rescue can do: claim, refund, settle, give back, bring coins of ours to the chain and home, and look. Nothing
 * here creates, locks, pays, funds, relays or cosigns, whatever a machine asks for.
 *
 * Loses money when wrong: a lock or payment that is given once more by whoever restores a swap; an answer that says of
 * a lock that it never was, while it may be with the other side.
 */

/** No act of these is in the runtime of a rescue. */
type Given =
  | 'hold.create'
  | 'pay'
  | 'vhtlc.lock'
  | 'htlc.fund'
  | 'onchain.send'
  | 'onchain.bump'
  | 'onchain.consolidate'
  | 'evm.look-contract'
  | 'evm.name-contracts'
  | 'evm.forward'
  | 'evm.forward-send'
  | (`provider.${string}` & Effect['do']);

declare const refusal: unique symbol;
/** An act that does nothing but say so. */
type Refusal<D extends Effect['do']> = Act<EffectOf<D>, keyof Contexts> & { readonly [refusal]: true };

type Home = Exclude<Effect['do'], Given>;
type RescueActs = Acts<Extract<Effect, { do: Home }>, keyof Contexts> & { readonly [D in Given]: Refusal<D> };

const nothingGiven = 'nothing is given in a rescue';

/** Whether it was given before is not known here: it is waited for, and what became of it is seen at its place. */
function waits<D extends Given>(): Refusal<D> {
  const act: Act<EffectOf<D>, keyof Contexts> = {
    run: async () => {
      throw new NotYet(null, nothingGiven);
    },
    lane: laneOf,
  };
  return act as Refusal<D>;
}

/** Nobody is asked any more: the machine goes on without. */
function declines<D extends Given>(event: Event): Refusal<D> {
  const act: Act<EffectOf<D>, keyof Contexts> = {
    run: async (_, { lightning }) => lightning.answer(event),
    lane: laneOf,
  };
  return act as Refusal<D>;
}

const unasked = 'no provider is asked in a rescue';
const withoutProvider: Event = { is: 'provider.declined', reason: unasked };

type Taking = EvmEffect & {
  readonly act: Extract<EvmAct, { is: 'claim' | 'refund' | 'taker-claim' | 'taker-refund' }>;
};

function takes(effect: EvmEffect): effect is Taking {
  const { is } = effect.act;
  return is === 'claim' || is === 'refund' || is === 'taker-claim' || is === 'taker-refund';
}

const home: Acts<Extract<Effect, { do: Home }>, keyof Contexts> = {
  ...lightningHome,
  ...arkadeHome,
  ...onchainHome,
  'evm.read-arrival': evmActs['evm.read-arrival'],
  'evm.send': {
    async run(effect, contexts) {
      if (!takes(effect)) throw new NotYet(null, nothingGiven);
      await evmActs['evm.send'].run(effect, contexts);
    },
    lane: laneOf,
  },
  // A lock that the operator has half is finished, or its coins are nobody's; one that it never saw is not sent.
  'vhtlc.submit': {
    async run(effect, contexts) {
      const { ports, store } = contexts.arkade;
      const bytes = effect.purpose === 'lock' ? store.transactions.bytes(effect.txid) : null;
      const state = bytes === null ? null : await arkadeOf(ports).state(bytes);
      if (state === 'unseen' || state === 'unknown') throw new NotYet(null, nothingGiven);
      await arkadeHome['vhtlc.submit'].run(effect, contexts);
    },
    lane: laneOf,
  },
  // A funding is neither sent nor pushed: once a block has it, or what it spends, its end is told.
  'onchain.broadcast': {
    async run(effect, contexts) {
      const { ports, store } = contexts.onchain;
      const isFunding = store.transactions.byId(effect.txid)?.purpose === 'fund';
      const isMined = isFunding && ((await bitcoinOf(ports).spend(effect.spends))?.height ?? null) !== null;
      if (isFunding && !isMined) throw new NotYet(null, nothingGiven);
      await onchainHome['onchain.broadcast'].run(effect, contexts);
    },
    lane: laneOf,
  },
};

const acts: RescueActs = {
  ...home,
  'hold.create': waits(),
  'vhtlc.lock': waits(),
  'htlc.fund': waits(),
  'onchain.send': waits(),
  'onchain.bump': waits(),
  'onchain.consolidate': waits(),
  'evm.look-contract': waits(),
  'evm.name-contracts': waits(),
  'evm.forward': waits(),
  'evm.forward-send': waits(),
  'provider.create': waits(),
  'provider.fund-evm': waits(),
  // One that was begun may settle all the same: it is watched.
  pay: declines({ is: 'payment.refused', reason: nothingGiven, unsure: true }),
  'provider.cosign': declines(withoutProvider),
  // Our secret did not leave us by it.
  'provider.cosign-htlc': declines({ is: 'provider.claim-withheld', reason: unasked }),
  // What was not signed before is not signed any more.
  'provider.sign-claim': declines({ is: 'provider.claim-unsigned', reason: unasked }),
  'provider.refund-evm': declines(withoutProvider),
  'provider.claim-evm': declines(withoutProvider),
};

/** Takes back what we gave, or goes on with that. */
function takesBack(effect: Effect, { onchain: { store } }: Contexts): boolean {
  switch (effect.do) {
    case 'vhtlc.refund':
      return true;
    case 'vhtlc.submit':
    case 'vhtlc.finalize':
    case 'vhtlc.settle':
    case 'vhtlc.exit':
    case 'htlc.spend':
      return effect.purpose === 'refund';
    case 'onchain.broadcast':
      return store.transactions.byId(effect.txid)?.purpose === 'refund';
    case 'evm.send':
      return effect.act.is === 'refund' || effect.act.is === 'taker-refund';
    default:
      return false;
  }
}

/** What the acts go by beyond their effect. */
export interface ActingBy {
  /** Carries one out for a swap or job, with what was learned saved before. */
  during(subject: string, act: () => Promise<void>): Promise<void>;
  /** The secret of this swap was seen to be public: what we gave is never taken back by its machine. */
  isShown(swap: string): boolean;
}

export function rescueActs({ during, isShown }: ActingBy): EveryAct {
  return Object.fromEntries(
    Object.entries(acts).map(([name, act]) => [
      name,
      {
        ...act,
        async run(effect: Effect, contexts: Contexts) {
          const { subject } = contexts.onchain.row;
          await during(subject, async () => {
            if (isShown(subject) && takesBack(effect, contexts))
              throw new NotYet(null, 'its secret is public: what we gave is not taken back');
            // Who may have our secret is followed by our own transaction; where nobody has, that is judged first.
            if (effect.do === 'provider.claim-evm' && !isShown(subject))
              return contexts.provider.answer({ is: 'provider.claim-withheld', reason: unasked, unreached: true });
            await (act as Act<Effect, keyof Contexts>).run(effect, contexts);
          });
        },
      },
    ]),
  ) as unknown as EveryAct;
}
