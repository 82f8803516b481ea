export const gate = {
  title: 'Owner token',
  lead: 'It proves that this node is yours. It is in the file owner.token of the data folder.',
  label: 'Token',
  hint: 'This tab keeps it until it is closed.',
  open: 'Open',
  wrong:
    'The server here does not know that token. Copy it from the file owner.token once more; if it is the same, ' +
    'another program has taken the port of the node.',
};
