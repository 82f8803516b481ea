import { exec } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, test } from 'vitest';
import { sats } from '../../../engine/domain/money.ts';
import { outpointKey } from '../../../engine/domain/outpoint.ts';
import {
  onDaemons,
  onEachPair,
  onLndOverCore,
  type BitcoinKind,
  type Chains,
  type Telling,
} from '../kit/on-daemons.ts';
import type { StageOperator } from '../kit/operator.ts';
import { openAdmin } from './admin.ts';
import { openBank } from './bank.ts';
import { givenOperator } from './environment.ts';
import { openOperator, profileOf, type RealOperator } from './operator.ts';

const given = givenOperator();
const profile = 'absent' in given ? null : profileOf(await openAdmin(given.adminUrl).settings());

/** A described story on daemons, and on the operator that the environment gives where it gives one. */
export function onStage(name: string, tests: () => void, others: readonly string[] = []): void {
  if (!shortLived(name)) onDaemons(name, tests, others);
}

/** Whether the given operator is none for a story; says then in a skipped group why. */
function shortLived(name: string): boolean {
  if (profile !== 'expiry') return false;
  describe.skip(`${name} (not run: coins of the given operator expire within half a minute)`, () =>
    test('wants coins that live longer'));
  return true;
}

/**
 * The same on an lnd over each kind of Bitcoin node: over Core beside the sandbox's operator, for a given one has a
 * btcd.
 */
export function onEachStage(name: string, tests: (over: BitcoinKind) => void, others: readonly string[] = []): void {
  onStage(name, () => tests('btcd'), others);
  onLndOverCore(name, () => tests('core'), others);
}

/** The same with an EVM chain, on the pairs of chains of `onEachPair`. */
export function onEachPairOfStage(
  name: string,
  tests: (over: Chains) => void,
  { short = 'core' }: Pick<Telling, 'short'> = {},
): void {
  if (!shortLived(name)) onEachPair(name, tests, { lnd: true, short });
}

/** The operator of the environment, ready for stories; null where there is none. */
export async function realOperator(): Promise<RealOperator | null> {
  return 'absent' in given ? null : openOperator(given);
}

/** A running operator as a story has it: its life is not ours to end, unless the environment says how. */
export async function asStageOperator({ url, admin, chain }: RealOperator): Promise<StageOperator> {
  const bank = await openBank({ url, admin, shortLived: false });
  return {
    url,
    faucet: async (address, amount) => outpointKey(await bank.faucet(address, sats(amount))),
    life: 'absent' in given || given.restart === undefined ? null : lifeBy(given.restart, url),
    async stop() {
      await bank.stop();
      chain.rpc.close();
    },
  };
}

/** How long a restarted operator may take until it answers, in milliseconds. */
const readyWithin = 60_000;

/** It is ended and started by one command; clients meet it dead only for as long as that takes. */
function lifeBy(command: string, url: string): NonNullable<StageOperator['life']> {
  return {
    kill: async () => void (await promisify(exec)(command)),
    async start() {
      const deadline = performance.now() + readyWithin;
      for (;;) {
        const ready = await fetch(`${url}/v1/info`).then(
          ({ ok }) => ok,
          () => false,
        );
        if (ready) return;
        if (performance.now() > deadline)
          throw new Error(
            `the operator does not answer ${readyWithin / 1_000} s after SLUICE_REGTEST_ARKD_RESTART ran`,
          );
        await pause(250);
      }
    },
  };
}
