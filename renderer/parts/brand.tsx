/** The mark: a gate between two posts over water. */
export function Mark() {
  return (
    <svg viewBox="0 0 24 24" fill="none" strokeLinecap="round" aria-hidden="true">
      <path d="M5 3v18M19 3v18" stroke="currentColor" strokeWidth="2.4" />
      <path d="M8.5 4.5h7v6h-7z" stroke="currentColor" strokeWidth="1.8" strokeLinejoin="round" />
      <path
        d="M8 15.2c1.3-1.3 2.7-1.3 4 0s2.7 1.3 4 0M8 19.2c1.3-1.3 2.7-1.3 4 0s2.7 1.3 4 0"
        stroke="var(--color-accent)"
        strokeWidth="2"
      />
    </svg>
  );
}
