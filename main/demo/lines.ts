export interface Lines {
  say(line: string): void;
  /** Nothing more comes: the next one is heard. */
  end(): void;
}

/** For several that speak at once: the first that is not over is heard live, the others, in their order, after it. */
export function inOrder(count: number, print: (line: string) => void): readonly Lines[] {
  const waiting = Array.from({ length: count }, (): string[] => []);
  const over = new Set<number>();
  let live = 0;
  return waiting.map((lines, at) => ({
    say(line) {
      if (at === live) print(line);
      else lines.push(line);
    },
    end() {
      over.add(at);
      while (live < count && over.has(live)) {
        live += 1;
        for (const line of waiting[live]?.splice(0) ?? []) print(line);
      }
    },
  }));
}
