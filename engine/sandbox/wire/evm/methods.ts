/**
 * What outsiders may ask, and where each has the block that it asks about: anvil has more, and none of it is for them.
 */
const blockAt: Readonly<Record<string, number | null>> = {
  eth_accounts: null,
  eth_blockNumber: null,
  eth_call: 1,
  eth_chainId: null,
  eth_createAccessList: 1,
  eth_estimateGas: 1,
  eth_feeHistory: 1,
  eth_gasPrice: null,
  eth_getBalance: 1,
  eth_getBlockByHash: null,
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_getBlockTransactionCountByHash: null,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getCode: 1,
  eth_getLogs: null,
  eth_getStorageAt: 2,
  eth_getTransactionByBlockHashAndIndex: null,
  eth_getTransactionByBlockNumberAndIndex: 0,
  eth_getTransactionByHash: null,
  eth_getTransactionCount: 1,
  eth_getTransactionReceipt: null,
  eth_maxPriorityFeePerGas: null,
  eth_sendRawTransaction: null,
  eth_syncing: null,
  net_version: null,
  web3_clientVersion: null,
  web3_sha3: null,
};

/** What chains 30 and 31 have not: their transactions name one price for all. */
const ofNewerTransactions = ['eth_feeHistory', 'eth_maxPriorityFeePerGas', 'eth_createAccessList'];

export function isOffered(method: string, legacyOnly: boolean): boolean {
  return Object.hasOwn(blockAt, method) && !(legacyOnly && ofNewerTransactions.includes(method));
}

/** The place of the block among the parameters; null where none is named. */
export function blockParameter(method: string): number | null {
  return blockAt[method] ?? null;
}
