/**
 * Every reason for which Bitcoin Core refuses a transaction, by the version that `test/regtest` builds (31.99:
 * validation.cpp, policy/*.cpp and consensus/tx_check.cpp, tx_verify.cpp), as `sendrawtransaction` puts it, and what it
 * means to us. A reason that Core writes with figures or a script's error has one example.
 */
export const coreRejections = {
  // It is there already.
  'txn-already-in-mempool': 'accepted',
  'txn-already-known': 'accepted',
  'txn-same-nonwitness-data-in-mempool': 'accepted',
  // Only a look at the inputs tells.
  'bad-txns-inputs-missingorspent': 'unsure',
  // A rival in the mempool, to be outbid.
  'bip125-replacement-disallowed': 'spent',
  'bad-txns-spends-conflicting-tx': 'spent',
  'insufficient fee': 'spent',
  'insufficient fee (including sibling eviction)': 'spent',
  'replacement-failed': 'spent',
  'too many potential replacements': 'spent',
  'too many potential replacements (including sibling eviction)': 'spent',
  'package RBF failed: package must be 1-parent-1-child': 'spent',
  'package RBF failed: new transaction cannot have mempool ancestors': 'spent',
  'package RBF failed: too many potential replacements': 'spent',
  'package RBF failed: insufficient anti-DoS fees': 'spent',
  'package RBF failed: package feerate is less than or equal to parent feerate': 'spent',
  // Time heals it.
  'bad-txns-premature-spend-of-coinbase': 'later',
  'non-final': 'later',
  'non-BIP68-final': 'later',
  'too-large-cluster': 'later',
  'TRUC-violation': 'later',
  'no-mempool': 'later',
  // So does a higher fee.
  'min relay fee not met': 'later',
  'mempool min fee not met': 'later',
  'mempool full': 'later',
  // So does a lower one, or a node that is asked to take any.
  'max feerate exceeded': 'later',
  // It is wrong by itself.
  'bad-cb-length': 'refused',
  'bad-txns-fee-outofrange': 'refused',
  'bad-txns-in-belowout': 'refused',
  'bad-txns-inputs-duplicate': 'refused',
  'bad-txns-inputvalues-outofrange': 'refused',
  'bad-txns-nonstandard-inputs': 'refused',
  'bad-txns-oversize': 'refused',
  'bad-txns-prevout-null': 'refused',
  'bad-txns-too-many-sigops': 'refused',
  'bad-txns-txouttotal-toolarge': 'refused',
  'bad-txns-vin-empty': 'refused',
  'bad-txns-vout-empty': 'refused',
  'bad-txns-vout-negative': 'refused',
  'bad-txns-vout-toolarge': 'refused',
  'bad-witness-nonstandard': 'refused',
  'bare-multisig': 'refused',
  coinbase: 'refused',
  datacarrier: 'refused',
  dust: 'refused',
  'missing-ephemeral-spends': 'refused',
  scriptpubkey: 'refused',
  'scriptsig-not-pushonly': 'refused',
  'scriptsig-size': 'refused',
  'tx-size': 'refused',
  'tx-size-small': 'refused',
  version: 'refused',
  'mempool-script-verify-flag-failed (…)': 'refused',
  'block-script-verify-flag-failed (…)': 'refused',
} as const satisfies Readonly<Record<string, 'accepted' | 'unsure' | 'spent' | 'later' | 'refused'>>;
