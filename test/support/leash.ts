import { anyFailure } from './failure.ts';

/** One life of a node: everything that it may still do hangs on this. */
export interface Life {
  readonly over: boolean;
}

/**
 * A moment at which a process could die: before or after a call left it (`arkade.submit`, and below it the operator's
 * own calls such as `ark.submitTx`), or before or after a commit (`commit`).
 */
export type Boundary = (what: string, moment: 'before' | 'after') => void;

const processGone = () => anyFailure('process-gone', 'safe', 'the process that asked is gone');

/**
 * The same object on a leash: once the life is over no call reaches the world, and no answer comes back. Methods named
 * in `plain` answer at once or hand out streams, and are passed through.
 */
export function leashed<T extends object>(
  target: T,
  name: string,
  life: Life,
  boundary: Boundary,
  plain: readonly string[],
): T {
  return new Proxy(target, {
    get(object, property, receiver) {
      const member: unknown = Reflect.get(object, property, receiver);
      if (typeof member !== 'function' || typeof property !== 'string') return member;
      if (plain.includes(property)) return (...args: unknown[]): unknown => Reflect.apply(member, object, args);
      return async (...args: unknown[]): Promise<unknown> => {
        if (!life.over) boundary(`${name}.${property}`, 'before');
        if (life.over) throw processGone();
        const answer: unknown = await Reflect.apply(member, object, args);
        if (!life.over) boundary(`${name}.${property}`, 'after');
        if (life.over) throw processGone();
        return answer;
      };
    },
  });
}
