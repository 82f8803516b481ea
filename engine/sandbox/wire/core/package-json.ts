import type { PackageResult } from '../../world/bitcoin/acceptance.ts';

/** The answer to a package of transactions, as Core gives it and Esplora hands it on. */
export function packageJson({ message, results }: PackageResult): unknown {
  return {
    package_msg: message,
    'tx-results': Object.fromEntries(
      [...results].map(([wtxid, { tx, entry, error }]) => [
        wtxid,
        {
          txid: tx.txid,
          ...(entry === undefined ? { error } : { vsize: tx.vsize, fees: { base: Number(entry.fee) / 1e8 } }),
        },
      ]),
    ),
    'replaced-transactions': [],
  };
}
