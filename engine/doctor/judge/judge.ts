import type { Doctor } from '../../contract/owner/doctor.ts';
import type { ClockLimits } from '../../legs/clock-limits.ts';
import { judgeArkade, type ArkadeTerms, type OperatorEndpoint } from './arkade.ts';
import { judgeBitcoin, type BitcoinEndpoint, type Reserve } from './bitcoin.ts';
import { judgeEvm, type EvmChain } from './evm.ts';
import { judgeLightning, type LightningEndpoint } from './lightning.ts';
import { judgePeg, type PegFacts } from './peg.ts';
import { judgeMachine, type Limits, type MachineFacts } from './machine.ts';

/** All that was found, on this machine and at the endpoints. */
export interface Facts {
  readonly machine: MachineFacts;
  readonly lightning: LightningEndpoint | null;
  readonly bitcoin: readonly BitcoinEndpoint[];
  readonly arkade: OperatorEndpoint | null;
  readonly evm: readonly EvmChain[];
  readonly pegs: readonly PegFacts[];
}

/** What was found is held against what the owner configured. */
export interface Expected {
  readonly limits: Limits;
  readonly arkade: ArkadeTerms;
  /** Unix seconds on the networks' clock; the machine's own but in the sandbox. */
  readonly wall: number;
  /** How far the clocks of chains may be from this machine's. */
  readonly clocks: ClockLimits;
  /** Age of an EVM chain's latest block beyond which nothing new is begun over it, in seconds. */
  readonly evmTipAge: number;
  /** What the node's Bitcoin sources contradict each other in, as far as one runs. */
  readonly disagreement: string | null;
  /** What the Bitcoin wallet of a running node keeps for fees. */
  readonly reserve: Reserve | null;
}

export function judge(
  facts: Facts,
  { limits, arkade, wall, clocks, evmTipAge, disagreement, reserve }: Expected,
): Doctor {
  const { network, machine } = limits;
  const heights = facts.bitcoin.flatMap(({ answer }) => (answer.is === 'answered' ? [answer.facts.height] : []));
  const height = heights.length === 0 ? null : Math.max(...heights);
  return {
    rows: [
      ...judgeMachine(facts.machine, limits),
      ...judgeBitcoin(facts.bitcoin, { network, machine, wall, limits: clocks, disagreement, reserve }),
      ...judgeLightning(facts.lightning, { network, wall, height }),
      ...judgeArkade(facts.arkade, arkade),
      ...facts.evm.flatMap((chain) => judgeEvm(chain, { machine, maxTipAge: evmTipAge })),
      ...facts.pegs.flatMap((peg) => judgePeg(peg, { isReal: network === 'mainnet' })),
    ],
  };
}
