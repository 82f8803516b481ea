import { sameBytes, type Sha256 } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import type { Entry } from '../../runtime/working-set.ts';
import type { TakerPlace } from '../../store/taker-swaps.ts';
import type { OrderTerms } from '../../taker/terms.ts';
import type { ServiceContext } from '../context.ts';

const atOnce = 200;

/**
 * Every own swap of a hash, the newest first: a provider may have us open many of one hash, and none of them hides
 * another.
 */
export function* swapsOfHash(
  { runtime: { store, workingSet } }: Pick<ServiceContext, 'runtime'>,
  hash: Sha256,
): Generator<Entry> {
  const filter = { outcome: null, ids: null, network: null, search: { beginning: toHex(hash), amount: null } };
  let before: TakerPlace | null = null;
  for (;;) {
    const page: TakerPlace[] = store.takerSwaps.page({ ...filter, before, limit: atOnce });
    for (const { id } of page) {
      const entry = workingSet.readable(id);
      if (entry !== null && sameBytes((entry.row.terms as OrderTerms).hash, hash)) yield entry;
    }
    before = page.at(-1) ?? null;
    if (page.length < atOnce) return;
  }
}
