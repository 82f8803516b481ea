import type { Ports } from './ports.ts';

/** Milliseconds for which a tip is the answer for whoever else asks. */
const tipMs = 200;

/**
 * The networks as effects read them. Hundreds that run at once, when as many preimages come in one moment, ask a source
 * for the same tip and the same fee estimate: one reading is for all of them. What belongs to one coin is always read
 * anew.
 */
export function withBriefReads(ports: Ports): Ports {
  const { bitcoin } = ports;
  if (bitcoin === null) return ports;
  const tip = shared((_: 'tip') => bitcoin.tip(), tipMs);
  const feeRate = shared((blocks: number) => bitcoin.feeRate(blocks), 0);
  return { ...ports, bitcoin: { ...bitcoin, tip: () => tip('tip'), feeRate } };
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
