import type { Ports } from './ports.ts';

/** Milliseconds for which an answer is that of whoever else asks. */
const briefly = 1_000;

interface BriefReads {
  readonly ports: Ports;
  /** A block came: what is woken by it would wait for the next one if it heard of the one before. */
  forget(): void;
}

/**
 * The networks as effects read them that have something to sign or to send: the tip, what blocks asked and what a fee
 * is estimated at are read once in a second, however many claims there are and however often each asks. An older tip
 * makes nothing deeper and ends no locktime sooner. What belongs to one coin is always read anew, and whoever judges
 * what must still hold before an act is given the networks themselves.
 */
export function withBriefReads(ports: Ports): BriefReads {
  const { bitcoin } = ports;
  if (bitcoin === null) return { ports, forget: () => undefined };
  const { blockRates, secondFeeRate } = bitcoin;
  const forgetters: (() => void)[] = [];
  function brief<Q, A>(read: (question: Q) => Promise<A>): (question: Q) => Promise<A> {
    const { ask, forget } = shared(read, briefly);
    forgetters.push(forget);
    return ask;
  }
  const tip = brief((_: 'tip') => bitcoin.tip());
  return {
    ports: {
      ...ports,
      bitcoin: {
        ...bitcoin,
        tip: () => tip('tip'),
        feeRate: brief((blocks) => bitcoin.feeRate(blocks)),
        ...(blockRates === undefined ? {} : { blockRates: brief((count) => blockRates(count)) }),
        ...(secondFeeRate === undefined ? {} : { secondFeeRate: brief((blocks) => secondFeeRate(blocks)) }),
      },
    },
    forget() {
      for (const forget of forgetters) forget();
    },
  };
}

/**
 * One reading at a time of each question, for all that ask while it goes on or within `ms` of its answer; a failure is
 * only theirs who waited.
 */
function shared<Q, A>(read: (question: Q) => Promise<A>, ms: number) {
  const answers = new Map<Q, { readonly answer: Promise<A>; until: number }>();
  function ask(question: Q): Promise<A> {
    const before = answers.get(question);
    if (before !== undefined && performance.now() < before.until) return before.answer;
    const now = { answer: read(question), until: Number.POSITIVE_INFINITY };
    answers.set(question, now);
    now.answer.then(
      () => {
        now.until = performance.now() + ms;
      },
      () => {
        if (answers.get(question) === now) answers.delete(question);
      },
    );
    return now.answer;
  }
  return { ask, forget: () => answers.clear() };
}
