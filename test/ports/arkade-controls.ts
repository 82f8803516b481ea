import { outpointKey } from '../../engine/domain/outpoint.ts';
import { unix } from '../../engine/domain/time.ts';
import type { Operator } from '../../engine/sandbox/world/arkade/operator.ts';
import { createOperator } from '../../engine/sandbox/world/arkade/operator.ts';
import { memoryJournal } from '../support/memory-journal.ts';
import { openWorlds } from '../sandbox/worlds.ts';
import type { ArkadeControls } from './arkade-suite.ts';

export interface SandboxOperator {
  readonly operator: Operator;
  readonly controls: ArkadeControls;
  readonly clock: { wall(): ReturnType<ArkadeControls['wall']>; mtp(): ReturnType<ArkadeControls['mtp']> };
}

/**
 * An operator of the sandbox with quick rounds that wait for slow machines, on a clock that stands still until it is
 * advanced.
 */
export function openOperator(): SandboxOperator {
  const { bitcoin } = openWorlds();
  const stages = { registration: 400, confirmation: 3_000, finalization: 5_000 };
  const operator = createOperator({ clock: bitcoin.clock, journal: memoryJournal(), settings: { stages } });
  const clock = { wall: () => unix(bitcoin.clock.now()), mtp: () => unix(bitcoin.clock.mtp()) };
  const controls: ArkadeControls = {
    ...clock,
    heldFor: stages.confirmation,
    faucet: async (address, amount) => operator.faucet(address, amount),
    advance: async (seconds) => void bitcoin.advance(seconds),
    // Median time past follows the clock to within ten seconds.
    reach: async (mtp) => void bitcoin.advance(mtp - bitcoin.clock.mtp() + 60),
    expire: async (coin) => operator.faults.expire(outpointKey(coin)),
    unroll: async (coin) => operator.faults.unroll(outpointKey(coin)),
    loseNextSubmit: async () => operator.faults.loseNextSubmit(),
    away: async () => operator.faults.away(),
    back: async () => operator.faults.back(),
    refuseStreams: async (refuse) => operator.configure({ digestHeaderRequired: refuse }),
    endNextRound: async () => operator.faults.endNextRound(),
    intents: async () => operator.admin.intents().length,
    changeSettings: async () => operator.configure({ maxTxWeight: 39_999 }),
  };
  return { operator, controls, clock };
}
