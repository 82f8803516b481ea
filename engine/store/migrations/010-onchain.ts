/** What a network is asked begins with its own name: the chain and the wallet on it have one name. What was done before is told by the same names. */
const renamed = [
  ['chain.broadcast', 'onchain.broadcast'],
  ['bitcoin.send', 'onchain.send'],
  ['bitcoin.bump', 'onchain.bump'],
];

export const sql = `
${renamed.map(([old, now]) => `UPDATE effects SET body = replace(body, '"do":"${old}"', '"do":"${now}"') WHERE body LIKE '%"do":"${old}"%';`).join('\n')}
${renamed.map(([old, now]) => `UPDATE journal SET effects = replace(effects, '${old}', '${now}') WHERE effects LIKE '%${old}%';`).join('\n')}
UPDATE journal SET event = 'on' || event WHERE event IN ('chain.prepared', 'chain.stuck', 'chain.final', 'chain.refused');
`;
