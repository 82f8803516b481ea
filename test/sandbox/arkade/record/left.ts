/** Where the sandbox's operator answers otherwise on purpose: by file and name of the exchange, with the reason. */
export interface Left {
  readonly reason: string;
  readonly differences: readonly string[];
}

export const left: Readonly<Record<string, Left>> = {};
