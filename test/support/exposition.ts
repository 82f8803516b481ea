/** What a program that scrapes understands of a text (prometheus.io/docs/instrumenting/exposition_formats, 0.0.4). */
export interface ParsedFamily {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const labelPair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"(,|$)/y;

/** Throws at the first line that is not of the format, and at what Prometheus would drop without a word. */
export function parseExposition(text: string): Readonly<Record<string, ParsedFamily>> {
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line has no end');
  const families: Record<string, { help: string; type: string; samples: ParsedFamily['samples'][number][] }> = {};
  const keys = new Set<string>();
  let current: string | null = null;
  for (const line of text.split('\n').slice(0, -1)) {
    const [, help, helpText = ''] = /^# HELP (\S+) (.*)$/.exec(line) ?? [];
    const [, typed, type = ''] = /^# TYPE (\S+) (counter|gauge|histogram|summary|untyped)$/.exec(line) ?? [];
    if (help !== undefined) {
      if (families[help] !== undefined) throw new Error(`${help} is told twice`);
      families[help] = { help: unescape(helpText), type: '', samples: [] };
      current = help;
    } else if (typed !== undefined) {
      const family = families[typed];
      if (typed !== current || family === undefined || family.samples.length > 0)
        throw new Error(`the type of ${typed} stands elsewhere than before its samples`);
      family.type = type;
    } else {
      const sample = readSample(line);
      const family = families[sample.name];
      if (family === undefined || sample.name !== current) throw new Error(`${sample.name} is not together`);
      const key = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
      if (keys.has(key)) throw new Error(`${key} is there twice`);
      keys.add(key);
      family.samples.push({ labels: sample.labels, value: sample.value });
    }
  }
  return families;
}

function readSample(line: string) {
  const [, name = '', labelText = '', valueText = ''] = sampleLine.exec(line) ?? [];
  if (name === '') throw new Error(`this is no line of the format: ${line}`);
  const labels: Record<string, string> = {};
  labelPair.lastIndex = 0;
  while (labelPair.lastIndex < labelText.length) {
    const at = labelPair.lastIndex;
    const pair = labelPair.exec(labelText);
    if (pair === null) throw new Error(`these are no labels: ${labelText.slice(at)}`);
    labels[pair[1] ?? ''] = unescape(pair[2] ?? '');
  }
  const value = { '+Inf': Infinity, '-Inf': -Infinity }[valueText] ?? Number(valueText);
  if (Number.isNaN(value) && valueText !== 'NaN') throw new Error(`this is no number: ${valueText}`);
  return { name, labels, value };
}

function unescape(text: string): string {
  return text.replaceAll(/\\(["\\n])/g, (_, one: string) => (one === 'n' ? '\n' : one));
}
