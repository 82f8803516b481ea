import { expect, test } from 'vitest';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { swapKey } from '../../../engine/legs/evm/swap-key.ts';
import type { WantedLocks } from '../../../engine/legs/evm/wanted-locks.ts';
import { createGapLooks } from '../../../engine/runtime/networks/evm/gaps.ts';
import type { Store } from '../../../engine/store/store.ts';
import { account, evmLightningTerms, network } from '../../swap/evm-lightning-cases.ts';

/* What is known of a lock where no RPC keeps the logs of some blocks, by what was read before them and stands now. */

const { lock: agreed, contracts } = evmLightningTerms;
const terms = { ...agreed, amount: 1_000n };
const hash = terms.preimageHash;
const others = asEvmAddress(new Uint8Array(20).fill(9));

const made = { hash, key: swapKey(terms), height: 5, event: 'created', body: terms, depositor: terms.refundAddress };

interface World {
  readonly rows?: readonly object[];
  /** Whether the lock stands; left out, nobody answers. */
  readonly stands?: boolean;
  /** Whom our account is. */
  readonly us: Uint8Array;
}

/** Whether its end may lie in the gap. */
async function isOpen(meant: WantedLocks, { rows = [], stands, us }: World): Promise<boolean> {
  const store = { evmLocks: { of: () => rows, watchedBefore: () => [hash] } } as unknown as Store;
  const gaps = createGapLooks({
    store,
    of: { network, htlc: contracts.htlc },
    watched: { wantedOf: () => [{ name: '', wanted: meant }] },
  });
  const port = {
    account: () => us,
    async isActive() {
      if (stands === undefined) throw evmFailure('evm-away', 'safe', 'nobody answers');
      return stands;
    },
  } as unknown as EvmPort;
  return (await gaps.look(port, 100, [])).size > 0;
}

const ofClient: WantedLocks = { are: 'agreed', lock: agreed, least: 1_000n, by: agreed.refundAddress };
const ours: WantedLocks = { are: 'one', key: swapKey(terms) };
const [claimer, maker] = [agreed.claimAddress, agreed.refundAddress];

test('fault 228, evm: what was made before the gap and stands now did not end in it', async () => {
  for (const meant of [ours, ofClient]) {
    expect(await isOpen(meant, { rows: [made], stands: true, us: claimer })).toBe(false);
    expect(await isOpen(meant, { rows: [made], stands: false, us: claimer })).toBe(true);
    expect(await isOpen(meant, { rows: [made], us: claimer })).toBe(true);
  }
  const end = { ...made, event: 'refunded', body: null };
  expect(await isOpen(ours, { rows: [made, end], us: claimer })).toBe(false);
});

test('fault 228, evm: a lock of ours may have been made in the gap, and one for us costs nothing', async () => {
  expect(await isOpen(ofClient, { us: claimer })).toBe(false);
  expect([await isOpen(ofClient, { us: maker }), await isOpen(ours, { us: maker })]).toEqual([true, true]);
  const foreign = { ...made, key: new Uint8Array(32), depositor: others };
  expect(await isOpen(ofClient, { rows: [foreign], stands: true, us: maker })).toBe(true);
});

test('fault 228, evm: without a gap nothing is open', async () => {
  const store = { evmLocks: { of: () => [], watchedBefore: () => [hash] } } as unknown as Store;
  const watched = { wantedOf: () => [{ name: '', wanted: ours }] };
  const gaps = createGapLooks({ store, of: { network, htlc: contracts.htlc }, watched });
  const port = { account: () => account.service } as unknown as EvmPort;
  expect((await gaps.look(port, 7, [])).size).toBe(1);
  expect([(await gaps.look(port, null, [])).size, gaps.last().size]).toEqual([0, 0]);
});
