/** What is not as recorded on purpose, by file and name of the exchange. */
export interface Left {
  readonly reason: string;
  /** Of the answer; a difference that is gone fails like one that is new. */
  readonly differences: readonly string[];
}

/** Nothing: every exchange is answered as arkd answered it. */
export const left: Readonly<Record<string, Left>> = {};
