const list = new Intl.ListFormat('en');

/** A network of the node does not answer. */
export const away = {
  title: (networks: readonly string[]) => `${list.format(networks)} ${networks.length > 1 ? 'do' : 'does'} not answer`,
  partly: (network: string) => `${network} answers in part`,
  yours: (swaps: number) =>
    swaps === 0
      ? 'No swap of yours waits for that.'
      : `${swaps === 1 ? 'A swap of yours waits for that and goes on by itself' : `${swaps} swaps of yours wait for that and go on by themselves`} ` +
        'once it is back. Pay nothing twice.',
  dates: 'The dates from which you take it back alone stay as they are.',
  /** Of the operator whose coins they are. */
  overTheChain:
    'What you gave on Arkade comes back over the Bitcoin chain should the operator stay away: that begins at its ' +
    'date, takes longer and costs fees.',
  refused: 'New swaps that need it are refused until then.',
  works: (networks: readonly string[]) => `What needs only ${list.format(networks)} goes on as ever.`,
};
