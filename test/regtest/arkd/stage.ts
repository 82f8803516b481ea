import { describe } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { outpointKey } from '../../../engine/domain/outpoint.ts';
import { onDaemons } from '../kit/on-daemons.ts';
import type { StageOperator } from '../kit/operator.ts';
import { openAdmin } from './admin.ts';
import { openBank } from './bank.ts';
import { givenOperator } from './environment.ts';
import { openOperator, profileOf, type RealOperator } from './operator.ts';

const given = givenOperator();
const profile = 'absent' in given ? null : profileOf(await openAdmin(given.adminUrl).settings());

/** A described story on daemons, and on the operator that the environment gives where it gives one. */
export function onStage(name: string, tests: () => void): void {
  if (profile === 'expiry') describe.skip(`${name} (not run: coins of the given operator expire within half a minute)`, tests);
  else onDaemons(name, tests);
}

/** The operator of the environment, ready for stories; null where there is none. */
export async function realOperator(): Promise<RealOperator | null> {
  return 'absent' in given ? null : openOperator(given);
}

/** A running operator as a story has it: its life is not ours to end. */
export async function asStageOperator({ url, admin, chain }: RealOperator): Promise<StageOperator> {
  const bank = await openBank({ url, admin, shortLived: false });
  return {
    url,
    faucet: async (address, amount) => outpointKey(await bank.faucet(address, sats(amount))),
    life: null,
    async stop() {
      await bank.stop();
      chain.rpc.close();
    },
  };
}
