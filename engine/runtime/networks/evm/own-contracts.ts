import type { EvmNetwork } from '../../../domain/chain.ts';
import { checksummed } from '../../../domain/evm-address.ts';
import type { EvmAddress } from '../../../domain/evm.ts';
import { sameBytes } from '../../../domain/hash.ts';
import type { EvmContractEffect } from '../../../legs/evm/effects.ts';
import type { ContractHere } from '../../../legs/evm/port.ts';
import { NotYet } from '../../not-yet.ts';
import { evmOf } from '../../ports.ts';
import { within, type Acts } from '../act.ts';
import type { EvmContext } from './context.ts';

type Of<D extends EvmContractEffect['do']> = Extract<EvmContractEffect, { do: D }>;

/** Seconds between looks: a block or a few. */
const lookEvery = 5;
/** Looks after which its owner hears why it takes so long: some two minutes. */
const patientLooks = 24;

/** Whether a contract stands where it is to be put; waits while the RPCs are not of one mind. */
export async function standsAlready(
  network: EvmNetwork,
  at: { readonly name: string; readonly address: EvmAddress },
  context: Pick<EvmContext, 'ports' | 'row'>,
): Promise<boolean> {
  const { state } = await hereOf(network, at, context);
  if (state.is === 'doubt') throw notYet(state.sentence, context);
  return state.is === 'stands';
}

async function hereOf(
  network: EvmNetwork,
  { name, address }: { readonly name?: string; readonly address: EvmAddress },
  context: Pick<EvmContext, 'ports' | 'row'>,
): Promise<ContractHere> {
  const { lacking, contracts } = await evmOf(context.ports, network).ownContracts();
  const here = contracts.find((one) => sameBytes(one.address, address));
  // Another build has other contracts, and what these bytes become nobody here can judge.
  if (here === undefined)
    throw notYet(`${name ?? 'the contract'} at ${checksummed(address)} is none of this build`, context);
  if (lacking !== null && here.state.is === 'missing') throw notYet(lacking, context);
  return here;
}

function notYet(sentence: string, { row }: Pick<EvmContext, 'row'>): NotYet {
  return new NotYet(lookEvery, sentence, row.attempts >= patientLooks);
}

/** Money will be locked there: what one RPC does not show does not stand. */
async function look({ network, address, reverted }: Of<'evm.look-contract'>, context: EvmContext): Promise<void> {
  const { name, state } = await hereOf(network, { address }, context);
  if (state.is === 'doubt') throw notYet(state.sentence, context);
  if (state.is === 'missing' && !reverted)
    throw notYet(`${name} is mined, and no RPC of ${network} shows it yet`, context);
  context.answer({ is: 'evm.contract', address, stands: state.is === 'stands' });
}

async function name(effect: Of<'evm.name-contracts'>, context: EvmContext): Promise<void> {
  const { network, htlc, coordinator, instead = null, confirmations = 1 } = effect;
  // Who else put them there may have done so a block ago: a reorganisation would leave locks where nothing stands.
  if (!(await evmOf(context.ports, network).stands([htlc, coordinator], confirmations)))
    throw notYet(`the contracts are not ${confirmations} blocks deep by each RPC of ${network} yet`, context);
  context.answer({ is: 'evm.named', refusal: await context.nameContracts(network, { htlc, coordinator }, instead) });
}

const on = within('evm');

export const contractActs: Acts<EvmContractEffect, 'evm'> = {
  'evm.look-contract': { run: on(look), lane: ({ network }) => ({ side: network, begins: false }) },
  'evm.name-contracts': { run: on(name), lane: ({ network }) => ({ side: network, begins: false }) },
};
