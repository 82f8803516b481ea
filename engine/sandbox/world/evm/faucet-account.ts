import { keccak256, toBytes } from 'viem/utils';
import { privateKeyToAccount } from 'viem/accounts';

/** Whoever holds what was there from the first block. Its key is public: nothing here is worth anything. */
export const faucetAccount = privateKeyToAccount(keccak256(toBytes("the faucet of the sandbox's chains")));
