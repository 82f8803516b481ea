import { plural } from './plural.ts';

const list = new Intl.ListFormat('en');

/** A network of the node does not answer. */
export const away = {
  title: (networks: readonly string[]) =>
    `${list.format(networks)} ${plural(networks.length, { one: 'does', other: 'do' })} not answer`,
  partly: (network: string) => `${network} answers in part`,
  yours: (swaps: number) =>
    swaps === 0
      ? 'No swap of yours waits for it.'
      : `${plural(swaps, {
          one: 'A swap of yours waits, and goes on',
          other: `${swaps} swaps of yours wait, and go on`,
        })} once it answers. Do not pay twice.`,
  dates: 'The dates of your refunds do not change.',
  /** Of the operator whose coins they are. */
  overTheChain:
    'If the operator stays away, what you gave on Arkade comes back over the Bitcoin chain: from the refund date on, ' +
    'slower, and for fees.',
  refused: 'New swaps that need it are refused until then.',
  works: (networks: readonly string[]) => `Swaps over ${list.format(networks)} alone go on.`,
};
