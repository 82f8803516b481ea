import type { EvmNetwork } from '../../../domain/chain.ts';
import type { EvmAddress } from '../../../domain/evm.ts';
import { sameBytes, type Sha256 } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import type { EvmPort, EvmTip, LockEvent } from '../../../legs/evm/port.ts';
import type { Htlc, LockEventRow } from '../../../store/evm-locks.ts';
import type { Store } from '../../../store/store.ts';

/** Blocks that are read in one go: what is far behind is saved piece by piece. */
const blocksAtOnce = 5_000;

/**
 * Reads the logs of an HTLC from block to block and keeps what they say of the hashes that are watched. The last blocks are read anew at each
 * look, so that a reorganisation heals itself; a node that is behind what was read already says nothing (facts/faults.md 36).
 */
export function createFollower(options: {
  readonly network: EvmNetwork;
  readonly htlc: EvmAddress;
  readonly store: Store;
  /** Hashes that are watched, as hex. */
  readonly hashes: ReadonlyMap<
    string,
    { readonly coordinators: readonly EvmAddress[]; readonly parties: readonly EvmAddress[] }
  >;
  /** Blocks that may still be taken back. */
  readonly overlap: () => number;
}) {
  const { network, htlc, store, hashes, overlap } = options;
  const of: Htlc = { network, htlc };

  /** Of these to claim or to be refunded: nobody else's lock is anything to a swap of ours. */
  function concerns({ what }: LockEvent, parties: readonly EvmAddress[]): boolean {
    if (what.is !== 'created') return true;
    const { claimAddress, refundAddress } = what.terms;
    return parties.some((one) => sameBytes(claimAddress, one) || sameBytes(refundAddress, one));
  }

  async function rowsOf(events: readonly LockEvent[], from: number, port: EvmPort): Promise<LockEventRow[]> {
    const account = port.account();
    const before = new Map(
      store.evmLocks
        .from(of, from)
        .flatMap(({ key, depositor }) => (depositor === null ? [] : [[toHex(key), depositor]])),
    );
    const rows: LockEventRow[] = [];
    for (const event of events) {
      const watched = hashes.get(toHex(event.preimageHash));
      if (watched === undefined || !sameBytes(event.htlc, htlc)) continue;
      if (!concerns(event, [account, ...watched.parties])) continue;
      const { preimageHash: hash, key, height, logIndex, txid, blockHash, what } = event;
      const row = { hash, key, height, logIndex, txid, blockHash };
      if (what.is !== 'created') {
        const body = what.is === 'redeemed' ? what.preimage : null;
        rows.push({ ...row, event: what.is, body, depositor: null });
        continue;
      }
      const coordinator = watched.coordinators.find((one) => sameBytes(one, what.terms.refundAddress));
      const depositor =
        coordinator === undefined ? null : (before.get(toHex(key)) ?? (await port.depositor(coordinator, key)));
      rows.push({ ...row, event: 'created', body: what.terms, depositor });
    }
    return rows;
  }

  return {
    /** True when everything up to the tip is read. */
    async read(port: EvmPort, tip: EvmTip): Promise<boolean> {
      const scanned = store.evmLocks.scanned(of) ?? tip.height;
      if (tip.height < scanned) return false;
      const from = Math.max(0, Math.min(scanned + 1, tip.height) - overlap());
      const to = Math.min(tip.height, scanned + blocksAtOnce);
      const rows = await rowsOf(await port.events({ htlc, from, to }), from, port);
      // A hash that came meanwhile moved the cursor back: it is read with the next look.
      if (store.evmLocks.scanned(of) !== null && (store.evmLocks.scanned(of) ?? 0) < scanned) return false;
      store.atomically(() => store.evmLocks.replace(of, { from, to }, rows));
      return to === tip.height;
    },
    rows: (hash: Sha256): LockEventRow[] => store.evmLocks.of(of, hash),
  };
}

export type Follower = ReturnType<typeof createFollower>;
