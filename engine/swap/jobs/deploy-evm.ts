import { z } from 'zod';
import type { EvmEffect } from '../../legs/evm/effects.ts';
import { evmAddress, evmNetworkName } from '../../legs/evm/shape.ts';
import { bytes, fieldsShape, listOf, sats, statesShape, type AnyOf, type ValueOf } from '../../legs/shape.ts';
import { move, type Effect, type Event, type Machine, type SwapOutcome, type EventOf } from '../machine.ts';
import { jobOfWallet, sendingStatus } from './job.ts';

/** Our contracts put on an EVM chain, one after the other, at what its owner was shown. */
const terms = {
  network: evmNetworkName,
  contracts: listOf(
    z.strictObject({
      name: z.string(),
      address: evmAddress,
      /** What the CREATE2 deployer is given. */
      data: bytes,
      /** Units of gas that it is signed for. */
      gas: z.bigint(),
      /** Most that its gas may cost, raises included, as if the coin were bitcoin. */
      mostFee: sats,
    }),
  ),
  /** What the settings name once all of it stands. */
  htlc: evmAddress,
  coordinator: evmAddress,
  /** What they named when it began. */
  instead: z.strictObject({ htlc: evmAddress, coordinator: evmAddress }).exactOptional(),
  /** Blocks after which nothing of the chain is taken back any more. */
  confirmations: z.number(),
};
export type EvmDeploymentTerms = ValueOf<typeof terms>;

/** `next`: which of the contracts it is about. */
const next = { next: z.number() };
const states = {
  choosing: next,
  sending: { ...next, txid: z.string() },
  /** It is mined, or its transaction was reverted, and each RPC is asked what stands there. */
  looking: { ...next, txid: z.string(), reverted: z.boolean() },
  naming: {},
  sent: {},
  failed: { reason: z.string() },
} as const;
export type EvmDeploymentProgress = AnyOf<typeof states>;

type T = EvmDeploymentTerms;
type P = EvmDeploymentProgress;

function step(t: T, p: P, event: Event): SwapOutcome<P> {
  switch (p.at) {
    case 'choosing':
      if (event.is === 'evm.prepared') return move<P>({ at: 'sending', next: p.next, txid: event.txid });
      if (event.is === 'evm.already-done') return from(t, p.next + 1);
      return event.is === 'evm.refused' ? failed(event.reason) : 'stay';
    case 'sending':
      return event.is === 'evm.sent' && event.txid === p.txid ? sending(t, p, event) : 'stay';
    case 'looking':
      if (event.is !== 'evm.contract') return 'stay';
      return event.stands
        ? from(t, p.next + 1)
        : failed(`${t.contracts[p.next]?.name} was not deployed: 0x${p.txid} was mined and reverted`);
    case 'naming':
      if (event.is !== 'evm.named') return 'stay';
      return event.refusal === null
        ? move<P>({ at: 'sent' })
        : failed(`the contracts stand, and the settings do not name them: ${event.refusal}`);
    default:
      return 'stay';
  }
}

function sending(t: T, p: Extract<P, { at: 'sending' }>, { state }: EventOf<'evm.sent'>): SwapOutcome<P> {
  // What took its place may have been a variant nobody knows of: whether it stands is asked before it is signed again.
  if (state.is === 'gone') return from(t, p.next);
  if (state.is !== 'mined' || state.confirmations < t.confirmations) return 'stay';
  const address = t.contracts[p.next]?.address;
  if (address === undefined) return 'stay';
  const reverted = !state.ok;
  return move<P>(
    { at: 'looking', next: p.next, txid: state.by, reverted },
    { do: 'evm.look-contract', network: t.network, address, reverted },
  );
}

function from(t: T, at: number): SwapOutcome<P> {
  const effect = evmDeploymentEffect(t, at);
  if (effect !== null) return move<P>({ at: 'choosing', next: at }, effect);
  return move<P>({ at: 'naming' }, evmNamingEffect(t));
}

/** Gas is gone, or nothing was sent at all: either way its owner hears why. */
function failed(reason: string): SwapOutcome<P> {
  return { progress: { at: 'failed', reason }, effects: [], flag: `Contracts were not deployed: ${reason}.` };
}

/** Null beyond the last one. */
export function evmDeploymentEffect({ network, contracts }: T, at: number): EvmEffect | null {
  const contract = contracts[at];
  if (contract === undefined) return null;
  const { name, address, data, gas, mostFee } = contract;
  const act = { is: 'deploy', name, address, data, gas } as const;
  return { do: 'evm.send', network, contracts: null, act, deadline: null, value: mostFee };
}

export function evmNamingEffect({ network, htlc, coordinator, instead, confirmations }: T) {
  const before = instead === undefined ? {} : { instead };
  return { do: 'evm.name-contracts', network, htlc, coordinator, ...before, confirmations } as const satisfies Effect;
}

const under: ReadonlySet<P['at']> = new Set(['choosing', 'sending', 'looking', 'naming']);

export const evmDeployment: Machine<EvmDeploymentTerms, EvmDeploymentProgress> = {
  ...jobOfWallet,
  name: 'deploy-evm',
  shape: { terms: fieldsShape(terms), progress: statesShape(states) },
  step,
  watches: ({ network }, p) =>
    p.at === 'sending' ? [{ on: 'evm-sent', network, purpose: 'deploy', txid: p.txid }] : [],
  status: sendingStatus,
  open: (_, p) => under.has(p.at),
  nextAction: (_, p) => (p.at === 'looking' ? 'we ask every RPC' : under.has(p.at) ? 'we send' : 'nothing: it is over'),
};
