/**
 * What is asked of a Bitcoin node by JSON-RPC, every method that some swap depends on: what its `rpcwhitelist` has to
 * name.
 */
export const coreMethods = [
  'estimatesmartfee',
  'getbestblockhash',
  'getblock',
  'getblockchaininfo',
  'getblockhash',
  'getblockheader',
  'getblockstats',
  'getmempoolinfo',
  'getrawmempool',
  'getrawtransaction',
  'gettxout',
  'gettxspendingprevout',
  'scantxoutset',
  'sendrawtransaction',
  'submitpackage',
] as const;
