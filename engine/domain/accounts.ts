/**
 * The accounts of the node's books, each kept by network and asset, in the units of `Asset`. A balance is what came to
 * an account less what left it: the wallet is above zero by what it holds, income below zero by what it gave. A booking
 * is one amount, out of one account and into another, so that over all accounts the balances of an asset come to zero.
 * What else could alter a balance is found by its lines (`service/books/own-lines.ts`).
 *
 * Wrong here, and money that is missing is not missed.
 */
export const accountPlan = {
  wallet: 'what the network itself says that the node holds: coins, channels, the balance of the account',
  'chain-wallet': 'what the Lightning node itself has on the chain, leased coins and its reserve for anchors too',
  clearing:
    'what swaps, and what keeps the wallets, took from one network and owe on another: over all networks its worth ' +
    'is what is out in open swaps, and it is nothing once all of them are over',
  'own-swaps': 'what swaps in which the node was the client gave on one network and brought on another',
  owner: 'what the owner put in and took out',
  elsewhere:
    'what the Lightning node moved for others than this one: payments and invoices of its owner, what it forwarded, ' +
    'and what is between its wallet and its channels when these come and go',
  opening: 'what was there when the books were begun',
  'fees-earned': 'the fee of the node',
  'network-fees-charged': 'what clients paid towards the fees of networks',
  surplus: 'what clients gave beyond what was asked',
  'network-fees': 'what the miners of Bitcoin took',
  gas: 'what gas took on an EVM chain, relays for clients included',
  routing: 'what routes over Lightning took',
  'operator-fees': 'what the Arkade operator took for batches',
  losses: 'what swaps cost where both sides went to the client',
  'write-offs': 'differences that the owner wrote off, each with a reason',
} as const;
export type Account = keyof typeof accountPlan;

/** Those that a network is compared with. */
export const walletNames = ['wallet', 'chain-wallet'] as const satisfies readonly Account[];
export type WalletName = (typeof walletNames)[number];

/** Where a line of income or cost is booked; its other side is the account of whoever caused it. */
export const resultKinds = {
  'protocol-fee': 'fees-earned',
  'network-fee-charged': 'network-fees-charged',
  surplus: 'surplus',
  'network-fee-paid': 'network-fees',
  'fee-raise-paid': 'network-fees',
  'consolidation-fee-paid': 'network-fees',
  'gas-paid': 'gas',
  'relay-gas-paid': 'gas',
  'lightning-fee-paid': 'routing',
  'operator-fee-paid': 'operator-fees',
  'renewal-fee-paid': 'operator-fees',
  loss: 'losses',
} as const satisfies Record<string, Account>;
export type ResultKind = keyof typeof resultKinds;

/**
 * What moves a wallet: a transaction of ours, one of somebody else that paid us, what the Lightning node did for
 * others and what its transactions cost, what lay there at first, and a difference that the owner wrote off.
 */
export const walletKinds = ['moved', 'deposit', 'elsewhere', 'miner-fee', 'opening', 'write-off'] as const;
export type WalletKind = (typeof walletKinds)[number];

export type LedgerKind = ResultKind | WalletKind;

/** On whose account a swap or a job acts, by the name of its machine; null for what keeps the wallets. */
export function accountOf(machine: string | null): 'clearing' | 'own-swaps' | 'owner' {
  if (machine === null) return 'clearing';
  if (machine.startsWith('withdraw-') || machine === 'forward-evm') return 'owner';
  return machine.startsWith('take-') ? 'own-swaps' : 'clearing';
}

/** Both ends of a booking: the amount leaves `from` and comes to `to`. */
interface Ends {
  readonly from: Account;
  readonly to: Account;
}

/** Of an amount that is positive in the node's favour; `by` is the account of whoever caused it. */
export function endsOf(
  kind: LedgerKind,
  amount: bigint,
  by: ReturnType<typeof accountOf>,
  wallet: WalletName = 'wallet',
): Ends {
  const [inside, outside] = sidesOf(kind, by, wallet);
  return amount < 0n ? { from: inside, to: outside } : { from: outside, to: inside };
}

function sidesOf(
  kind: LedgerKind,
  by: ReturnType<typeof accountOf>,
  wallet: WalletName,
): readonly [inside: Account, outside: Account] {
  switch (kind) {
    case 'moved':
      return [wallet, by];
    case 'deposit':
      return [wallet, 'owner'];
    case 'elsewhere':
      return [wallet, 'elsewhere'];
    case 'miner-fee':
      return [wallet, 'network-fees'];
    case 'opening':
      return [wallet, 'opening'];
    case 'write-off':
      return [wallet, 'write-offs'];
    default:
      return [by, resultKinds[kind]];
  }
}
