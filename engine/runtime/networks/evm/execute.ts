import type { EvmEffect } from '../../../legs/evm/effects.ts';
import { evmOf } from '../../ports.ts';
import type { Acts, Lane } from '../act.ts';
import type { EffectContext } from '../context.ts';

const begins: ReadonlySet<EvmEffect['act']['is']> = new Set(['lock', 'relay-fund', 'pay']);

function lane({ network, act }: EvmEffect): Lane {
  return { side: network, begins: begins.has(act.is), wallet: network };
}

/** Nothing is prepared before a chain can be connected. */
async function send({ network }: EvmEffect, { ports }: EffectContext): Promise<void> {
  await evmOf(ports, network).tip();
}

export const evmActs: Acts<EvmEffect> = { 'evm.send': { run: send, lane } };
