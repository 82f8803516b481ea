import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import type { EvmPort } from '../../engine/legs/evm/port.ts';
import { swapKey, type LockTerms } from '../../engine/legs/evm/swap-key.ts';
import { asFarBack, lockStands } from '../../engine/service/taker/restored-chain.ts';
import { sameBytes } from '../../engine/domain/hash.ts';
import { start } from '../swap/cases.ts';
import { network } from '../swap/evm-lightning-cases.ts';
import { contracts, deal, lock, terms, tx } from './evm-lightning-cases.ts';

/*
 * Words are brought back weeks after tokens were locked. The coordinator locked what it held, and a stranger had sent
 * it a unit before.
 */

const day = 24 * 3_600;
const held: LockTerms = { ...lock, amount: lock.amount + 1n };

/** `liar`: one RPC says of each lock that it does not stand, and another one does not say the same. */
function contextOf({ liar = false, made = held }: { liar?: boolean; made?: LockTerms }) {
  const port: Partial<EvmPort> = {
    async isActive(_, one, how) {
      if (liar && how?.agreed !== true) return false;
      if (liar) throw new Error('the RPCs do not say the same');
      return sameBytes(swapKey(one), swapKey(made));
    },
    receipt: async (txid) =>
      txid === tx.lock
        ? {
            ...{ ok: true, height: 60_000_010, blockHash: 'aa'.repeat(32), cost: 1n, transfers: [] },
            events: [
              {
                ...{ htlc: contracts.htlc, preimageHash: lock.preimageHash, key: swapKey(made), txid },
                ...{ height: 60_000_010, blockHash: 'aa'.repeat(32), logIndex: 0 },
                what: { is: 'created', terms: made },
              },
            ],
          }
        : null,
  };
  const clock = { now: () => ({ wall: unix(start + 20 * day), bitcoin: { mtp: null, height: null } }) };
  return { runtime: { clock, ports: { [network]: port } } } as unknown as Parameters<typeof asFarBack>[0];
}

test('fault 164, evm: a lock of ours that holds a stranger’s unit as well is looked for, however old', async () => {
  const context = contextOf({});
  expect(await asFarBack(context, terms, deal, `0x${tx.lock}`)).toBe(terms);
  expect(await lockStands(context, deal, `0x${tx.lock}`)).toBe(true);
});

test('what a record names beside it makes nothing stand that does not', async () => {
  const other = contextOf({ made: { ...held, claimAddress: lock.token } });
  const short = contextOf({ made: { ...lock, amount: lock.amount - 1n } });
  const named = [`0x${tx.lock}`, `0x${tx.claim}`, undefined, 7];
  for (const context of [other, short])
    expect(await Promise.all(named.map((one) => asFarBack(context, terms, deal, one)))).toEqual(
      named.map(() => 'over'),
    );
});

test('fault 164, evm: one RPC alone ends no swap that is found again', async () => {
  await expect(asFarBack(contextOf({ liar: true }), terms, deal, undefined)).rejects.toThrow('do not say the same');
});
