import { PublishCommand, type SNSClient } from '@aws-sdk/client-sns';
import type { NowMs } from '../../mover/aws/clock';
import { type MetricPoint, type MetricQuery, minuteOf, type ReadMetrics } from '../../mover/aws/metrics';
import { METRIC_POINTS_LATE_MS } from '../../policy/aws-limits';
import { REDRIVE_METRICS, type RedriveMetricName } from '../../policy/metric-names';
import type { RedriveRun, RunEnding } from '../../policy/redrive/redrive-decision';
import type { RedriveEvent } from './plan';
import type { WriteMetrics } from './step-runner';

/** SNS's limit for subjects. */
const MAX_SUBJECT_CHARACTERS = 100;

export type EndedRun = RedriveRun & { readonly ending: RunEnding };

/**
 * Returns the run if this tick must report its end. That is the tick whose minute contains the end, so that only one does. A
 * retried invocation has the same EventBridge time and reports again: twice is better than never.
 */
export function runEndedNow(run: RedriveRun | undefined, event: RedriveEvent, tickMs: number): EndedRun | undefined {
  const { trigger, dueAtMs } = event;
  if (!run?.ending || trigger !== 'tick' || dueAtMs === undefined) return undefined;
  const sinceMs = dueAtMs - run.ending.overAtMs;
  return sinceMs >= 0 && sinceMs < tickMs ? { ...run, ending: run.ending } : undefined;
}

export function endMetrics({ ending, moved, returned }: EndedRun): Partial<Record<RedriveMetricName, number>> {
  return {
    [ending.cause === undefined ? 'RunsFinished' : 'RunsStopped']: 1,
    Moved: moved,
    ...(returned !== undefined && { Returned: returned }),
  };
}

const quantity = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

export function runReport(name: string, { moved, returned, startedAtMs, ending }: EndedRun) {
  const { waiting = 0 } = ending;
  const began = new Date(startedAtMs).toISOString();
  return {
    subject: `Moved ${quantity(moved, 'dead letter')}: ${name}`.slice(0, MAX_SUBJECT_CHARACTERS),
    message: [
      `The redrive ${name} has finished the run it began at ${began}: ${ending.reason}.`,
      '',
      `Moved: ${moved}`,
      `Returned to the dead-letter queue: ${returned ?? 'unknown'}`,
      ...(waiting > 0 ? [`May still wait in the destination: ${waiting}`] : []),
      '',
      waiting > 0
        ? 'If the consumer fails one of the waiting messages later, no run counts it as returned.'
        : 'There is nothing to do.',
    ].join('\n'),
  };
}

export type SendRunReport = (name: string, run: EndedRun) => Promise<void>;

/**
 * Sends the notification about a successful run to the results topic.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
 */
export function runReporter(client: SNSClient, TopicArn: string): SendRunReport {
  return async (name, run) => {
    const { subject: Subject, message: Message } = runReport(name, run);
    await client.send(new PublishCommand({ TopicArn, Subject, Message }));
  };
}

interface WrittenMetric {
  readonly name: string;
  readonly atMs: number;
  readonly Sum: number;
  readonly Maximum: number;
  readonly lastWrittenAtMs: number;
}

export interface OwnMetrics {
  readonly write: WriteMetrics;
  readonly read: ReadMetrics;
}

/** CloudWatch lacks the newest data points, and this environment lacks those that others wrote. */
function merged(points: readonly MetricPoint[], own: readonly MetricPoint[]): readonly MetricPoint[] {
  const all = new Map<number, number>();
  for (const { atMs, value } of [...points, ...own]) all.set(atMs, Math.max(value, all.get(atMs) ?? value));
  return [...all].map(([atMs, value]) => ({ atMs, value })).toSorted((one, other) => one.atMs - other.atMs);
}

/**
 * CloudWatch shows metrics some minutes late. From CloudWatch alone, the redrive would not see a pass that has just ended, and would
 * start it again. So each execution environment also remembers what it has written recently. If Lambda replaces the environment,
 * this is lost. Then a canary may start again before its outcome is known, at the canary's rate and with the canary's number of messages.
 */
export function ownMetrics(write: WriteMetrics, read: ReadMetrics, nowMs: NowMs): OwnMetrics {
  let written: readonly WrittenMetric[] = [];
  const note = (name: string, atMs: number, value: number): void => {
    const isSame = (it: WrittenMetric) => it.name === name && it.atMs === atMs;
    const { Sum, Maximum } = written.find(isSame) ?? { Sum: 0, Maximum: value };
    const more = { name, atMs, Sum: Sum + value, Maximum: Math.max(Maximum, value), lastWrittenAtMs: nowMs() };
    written = [...written.filter(it => !isSame(it)), more];
  };
  const ownOf = ({ namespace, name, statistic }: MetricQuery, fromMs: number, toMs: number): readonly MetricPoint[] => {
    if (namespace !== REDRIVE_METRICS.namespace) return [];
    const ofMetric = written.filter(it => it.name === name && it.atMs >= fromMs && it.atMs < toMs);
    return ofMetric.map(it => ({ atMs: it.atMs, value: it[statistic] }));
  };
  return {
    write: (atMs, metrics) => {
      write(atMs, metrics);
      written = written.filter(({ lastWrittenAtMs }) => nowMs() - lastWrittenAtMs <= METRIC_POINTS_LATE_MS);
      for (const [name, value] of Object.entries(metrics)) note(name, minuteOf(atMs), value);
    },
    read: async (metrics, fromMs, toMs) => {
      const lists = await read(metrics, fromMs, toMs);
      return metrics.map((metric, index) => merged(lists[index] ?? [], ownOf(metric, fromMs, toMs)));
    },
  };
}
