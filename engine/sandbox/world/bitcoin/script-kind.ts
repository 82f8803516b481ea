export type ScriptKind = 'p2pkh' | 'p2sh' | 'v0_p2wpkh' | 'v0_p2wsh' | 'v1_p2tr' | 'anchor' | 'op_return' | 'unknown';

/** What an output script is, by its bytes alone. */
export function kindOf(script: Uint8Array): ScriptKind {
  const [first, second] = script;
  if (first === 0x6a) return 'op_return';
  if (isAnchor(script)) return 'anchor';
  if (script.length === 22 && first === 0 && second === 20) return 'v0_p2wpkh';
  if (script.length === 34 && first === 0 && second === 32) return 'v0_p2wsh';
  if (script.length === 34 && first === 0x51 && second === 32) return 'v1_p2tr';
  if (script.length === 23 && first === 0xa9 && second === 20 && script[22] === 0x87) return 'p2sh';
  if (
    script.length === 25 &&
    first === 0x76 &&
    second === 0xa9 &&
    script[2] === 20 &&
    script[23] === 0x88 &&
    script[24] === 0xac
  )
    return 'p2pkh';
  return 'unknown';
}

/** Pay-to-anchor: anyone may spend it, with nothing. */
export function isAnchor(script: Uint8Array): boolean {
  return script.length === 4 && script[0] === 0x51 && script[1] === 0x02 && script[2] === 0x4e && script[3] === 0x73;
}
