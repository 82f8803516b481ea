/**
 * Injected bad luck: called with the method's name before it acts and after it acted. What it throws is what the
 * caller of the port gets, so that throwing after acting is an answer that was lost.
 */
export type Chaos = (call: string, moment: 'before' | 'after') => void;

type AsyncMethods = Record<string, (...args: never[]) => Promise<unknown>>;

/** The same methods with chaos around each. */
export function withChaos<Methods extends { [Name in keyof Methods]: AsyncMethods[string] }>(
  chaos: Chaos | undefined,
  methods: Methods,
): Methods {
  if (chaos === undefined) return methods;
  const wrapped = Object.entries<AsyncMethods[string]>(methods).map(([name, method]) => [
    name,
    async (...args: never[]) => {
      chaos(name, 'before');
      const answer = await method(...args);
      chaos(name, 'after');
      return answer;
    },
  ]);
  return Object.fromEntries(wrapped) as Methods;
}
