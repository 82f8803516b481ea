/** What a metric is, apart from its values. */
export interface MetricFacts {
  readonly type: 'gauge' | 'counter';
  /** One sentence: what it counts, and in which unit. */
  readonly help: string;
  readonly labels: readonly string[];
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family extends MetricFacts {
  readonly name: string;
  readonly samples: readonly Sample[];
}

/**
 * As Prometheus takes it (prometheus.io/docs/instrumenting/exposition_formats, text format 0.0.4). Families without a
 * sample are left out: nothing is known of them now.
 */
export function exposition(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(
      ({ name, help, type, samples }) =>
        `# HELP ${name} ${escapedHelp(help)}\n# TYPE ${name} ${type}\n` +
        samples.map(({ labels, value }) => `${name}${labelsOf(labels)} ${valueOf(value)}\n`).join(''),
    )
    .join('');
}

function labelsOf(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapedValue(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapedHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapedValue(text: string): string {
  return escapedHelp(text).replaceAll('"', '\\"');
}

function valueOf(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}
