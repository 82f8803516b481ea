import { create } from 'qrcode';
import { useMemo } from 'react';

/** The light edge that scanners need, in modules. */
const edge = 4;

/** As one path: no image, no inline style, sharp at every size. Dark on light in both themes. */
export function Qr({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => drawn(text), [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`${edge} ${edge} ${size} ${size}`}
      className="qr"
      shapeRendering="crispEdges"
      data-testid="qr"
    >
      <path d={path} className="fill-black" />
    </svg>
  );
}

/** Bech32 and invoices are smaller in capitals, and mean the same. */
function drawn(text: string): { size: number; path: string } {
  const { modules } = create(/^(ln|ark|tark|bc|tb|bcrt)[0-9a-z]+$/.test(text) ? text.toUpperCase() : text, {
    errorCorrectionLevel: 'L',
  });
  let path = '';
  for (let row = 0; row < modules.size; row++)
    for (let column = 0; column < modules.size; column++)
      if (modules.get(row, column)) path += `M${column + edge} ${row + edge}h1v1h-1z`;
  return { size: modules.size, path };
}
