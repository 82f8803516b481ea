const allBps = 10_000n;

/** The least that has to come out of an exchange, rounded down. */
export function leastOut(amount: bigint, slippageBps: number): bigint {
  return (amount * (allBps - BigInt(slippageBps))) / allBps;
}

/** The most that may go into an exchange, rounded up. */
export function mostIn(amount: bigint, slippageBps: number): bigint {
  return (amount * (allBps + BigInt(slippageBps)) + allBps - 1n) / allBps;
}
