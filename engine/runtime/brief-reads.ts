import type { Ports } from './ports.ts';

/** Milliseconds for which an answer is that of whoever else asks. */
const briefly = 1_000;

/**
 * The networks as effects read them that have something to sign or to send: the tip, what blocks asked and what a fee
 * is estimated at are read once in a second, however many claims there are and however often each asks. An older tip
 * makes nothing deeper and ends no locktime sooner. What belongs to one coin is always read anew, and whoever judges
 * what must still hold before an act is given the networks themselves.
 */
export function withBriefReads(ports: Ports): Ports {
  const { bitcoin } = ports;
  if (bitcoin === null) return ports;
  const { blockRates, secondFeeRate } = bitcoin;
  const tip = shared((_: 'tip') => bitcoin.tip(), briefly);
  const feeRate = shared((blocks: number) => bitcoin.feeRate(blocks), briefly);
  return {
    ...ports,
    bitcoin: {
      ...bitcoin,
      tip: () => tip('tip'),
      feeRate,
      ...(blockRates === undefined ? {} : { blockRates: shared((count) => blockRates(count), briefly) }),
      ...(secondFeeRate === undefined ? {} : { secondFeeRate: shared((blocks) => secondFeeRate(blocks), briefly) }),
    },
  };
}

/**
 * One reading at a time of each question, for all that ask while it goes on or within `ms` of its answer; a failure is
 * only theirs who waited.
 */
function shared<Q, A>(read: (question: Q) => Promise<A>, ms: number): (question: Q) => Promise<A> {
  const answers = new Map<Q, { readonly answer: Promise<A>; until: number }>();
  return (question) => {
    const before = answers.get(question);
    if (before !== undefined && performance.now() < before.until) return before.answer;
    const now = { answer: read(question), until: Number.POSITIVE_INFINITY };
    answers.set(question, now);
    now.answer.then(
      () => {
        now.until = performance.now() + ms;
      },
      () => answers.delete(question),
    );
    return now.answer;
  };
}
