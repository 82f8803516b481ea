import type { ReactNode } from 'react';

/** On a grid of 24, stroke 1.75, round ends, never filled. */
const shapes = {
  arch: <path d="M5 20V11a7 7 0 0 1 14 0v9M9.5 20v-8.5a2.5 2.5 0 0 1 5 0V20" />,
  back: <path d="M8.5 13.5 4 9l4.5-4.5M4.5 9H14a5.5 5.5 0 0 1 0 11h-3" />,
  block: <path d="m12 3 8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9" />,
  board: <path d="M4.5 18a8.5 8.5 0 1 1 15 0M12 14.5l3.5-5M12 15h.01" />,
  bolt: <path d="M13 3 5.5 13.5H11L10 21l8-11h-5.5z" />,
  bucket: <path d="M5 9h14l-1.8 11H6.8zM7.5 9a4.5 4.5 0 0 1 9 0" />,
  copy: (
    <>
      <rect x="9" y="9" width="11" height="11" rx="2" />
      <path d="M5 15V6a2 2 0 0 1 2-2h8" />
    </>
  ),
  danger: (
    <>
      <path d="M8 3h8l5 5v8l-5 5H8l-5-5V8z" />
      <path d="M12 7.8v5M12 16.2h.01" />
    </>
  ),
  down: <path d="M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 20h14" />,
  eye: (
    <>
      <path d="M3 12s3.5-6.5 9-6.5S21 12 21 12s-3.5 6.5-9 6.5S3 12 3 12z" />
      <circle cx="12" cy="12" r="2.8" />
    </>
  ),
  here: (
    <>
      <circle cx="12" cy="12" r="9" />
      <circle cx="12" cy="12" r="3.5" fill="currentColor" />
    </>
  ),
  hex: (
    <>
      <path d="m12 3 7.8 4.5v9L12 21l-7.8-4.5v-9z" />
      <circle cx="12" cy="12" r="3" />
    </>
  ),
  key: (
    <>
      <circle cx="8" cy="15" r="4" />
      <path d="m11 12 8.5-8.5M16 7l3 3" />
    </>
  ),
  left: <path d="m15 5-7 7 7 7" />,
  list: <path d="M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01" />,
  need: (
    <>
      <path d="M12 2.5 21.5 12 12 21.5 2.5 12z" />
      <path d="M12 8v4.5M12 15.8h.01" />
    </>
  ),
  none: (
    <>
      <circle cx="12" cy="12" r="9" />
      <path d="M8 12h8" />
    </>
  ),
  out: <path d="M10 5H5v14h14v-5M14 4h6v6M20 4l-9 9" />,
  pause: <path d="M8 5v14M16 5v14" />,
  play: <path d="M7 4.5v15l12-7.5z" />,
  refresh: <path d="M20 5v5h-5M4 19v-5h5M19.5 10A8 8 0 0 0 6 6.5L4.5 8M4.5 14A8 8 0 0 0 18 17.5l1.5-1.5" />,
  right: <path d="m9 5 7 7-7 7" />,
  safe: (
    <>
      <circle cx="12" cy="12" r="9" />
      <path d="m8 12.3 2.8 2.8L16 9.5" />
    </>
  ),
  scan: (
    <path d="M4 8V5a1 1 0 0 1 1-1h3M16 4h3a1 1 0 0 1 1 1v3M20 16v3a1 1 0 0 1-1 1h-3M8 20H5a1 1 0 0 1-1-1v-3M8 8h3v3H8zM14 8h2M14 11h2M8 14h2v2M13 14h3v2" />
  ),
  search: (
    <>
      <circle cx="11" cy="11" r="6.5" />
      <path d="m16 16 4.5 4.5" />
    </>
  ),
  shield: <path d="M12 3 5 5.5V12c0 4.2 2.9 7.4 7 9 4.1-1.6 7-4.8 7-9V5.5z" />,
  sliders: (
    <>
      <path d="M4 7h8M18 7h2M4 17h2M12 17h8" />
      <circle cx="15" cy="7" r="2.5" />
      <circle cx="9" cy="17" r="2.5" />
    </>
  ),
  swap: <path d="M4 8h15l-3.5-3.5M20 16H5l3.5 3.5" />,
  to: <path d="M4 12h15m-5-5 5 5-5 5" />,
  todo: <circle cx="12" cy="12" r="9" />,
  wait: (
    <>
      <circle cx="12" cy="12" r="9" strokeDasharray="3.4 2.25" />
      <path d="M12 7.5V12l3 2" />
    </>
  ),
  wallet: <path d="M17 9V5H6a2 2 0 0 0 0 4h13a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H6a2 2 0 0 1-2-2V7M16 14h.01" />,
} satisfies Record<string, ReactNode>;
export type IconName = keyof typeof shapes;

/** Decoration: the word stands beside it, always. */
export function Icon({ name, className = '' }: { name: IconName; className?: string }) {
  return (
    <svg className={`i ${className}`.trim()} viewBox="0 0 24 24" aria-hidden="true">
      {shapes[name]}
    </svg>
  );
}
