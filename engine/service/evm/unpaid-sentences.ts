/** What clients are told where swaps that bring no fee leave no room: for all together, or for one client. */
export const sentences = {
  create: {
    all:
      'The daily budget for swaps that bring no fee is used up, and new clients get no swap: try again ' + 'tomorrow.',
    client:
      'The daily budget for your swaps that bring no fee is used up: finish those that are open, or try again ' +
      'tomorrow.',
  },
  /** Nothing was spent for these yet. */
  waiting: {
    client:
      'Your swaps that wait for their funding may cost as much as those of one client may: fund some of them, or ' +
      'wait until they expire.',
  },
  lock: {
    all: 'The daily budget for swaps that bring no fee is used up.',
    client: "The daily budget for the client's swaps that bring no fee is used up.",
  },
  /** Why one that was asked for is not signed. */
  relayed: {
    all: 'gas is not paid for clients now',
    client: 'gas is not paid for you any more today',
  },
  relay: {
    all: 'Gas is not paid for clients now: send your own transaction, or try again tomorrow.',
    client: 'Gas is not paid for you any more today: send your own transaction, or try again tomorrow.',
  },
} as const;
