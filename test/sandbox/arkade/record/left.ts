/** What is not as recorded on purpose, by file and name of the exchange. */
export interface Left {
  readonly reason: string;
  /** Of the answer; a difference that is gone fails like one that is new. */
  readonly differences: readonly string[];
}

/** None of an answer. Two were recorded with coins on the chain that go on board, which the sandbox's operator does not take. */
const noBoarding: Left = { reason: 'the sandbox takes no boarding coins: the call comes in a batch of a virtual coin', differences: [] };

export const left: Readonly<Record<string, Left>> = {
  'post-v1-batch-submit-forfeit-txs: signed commitment tx with forfeits': noBoarding,
  'post-v1-batch-submit-forfeit-txs: boarding: signed commitment tx, no forfeits': noBoarding,
};
