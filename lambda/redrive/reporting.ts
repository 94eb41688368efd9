import { PublishCommand, type SNSClient } from '@aws-sdk/client-sns';
import type { NowMs } from '../../mover/clock';
import {
  METRICS_LATE_MS,
  type MetricPoint,
  type MetricQuery,
  minuteOf,
  type ReadMetrics,
} from '../../mover/facts/metrics';
import type { WriteMetrics } from '../../mover/move-step';
import { REDRIVE_METRICS, type RedriveMetricName } from '../../policy/metric-names';
import type { RedriveRun, RunEnding } from '../../policy/redrive/redrive-decision';
import type { RedriveEvent } from './plan';

/** Longer subjects SNS does not take. */
const MAX_SUBJECT_CHARACTERS = 100;

/** A run of which nothing more is to come. */
export type EndedRun = RedriveRun & { readonly ending: RunEnding };

/**
 * The run of which this tick tells, and no other does: the one whose minute the end falls into. EventBridge names the same
 * minute when it has to invoke the function again, and then it is told again rather than never.
 */
export function runEndedNow(run: RedriveRun | undefined, event: RedriveEvent, tickMs: number): EndedRun | undefined {
  const { trigger, dueAtMs } = event;
  if (!run?.ending || trigger !== 'tick' || dueAtMs === undefined) return undefined;
  const sinceMs = dueAtMs - run.ending.overAtMs;
  return sinceMs >= 0 && sinceMs < tickMs ? { ...run, ending: run.ending } : undefined;
}

/** What is counted of a run when it has ended. */
export function endMetrics({ ending, moved, returned }: EndedRun): Partial<Record<RedriveMetricName, number>> {
  return {
    [ending.cause === undefined ? 'RunsFinished' : 'RunsStopped']: 1,
    Moved: moved,
    ...(returned !== undefined && { Returned: returned }),
  };
}

const quantity = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** What people are told of a run that went well. */
export function runReport(name: string, { moved, returned, startedAtMs, ending }: EndedRun) {
  const { waiting = 0 } = ending;
  const began = new Date(startedAtMs).toISOString();
  return {
    subject: `${quantity(moved, 'dead letter')} went home: ${name}`.slice(0, MAX_SUBJECT_CHARACTERS),
    message: [
      `The redrive ${name} has finished the run it began at ${began}: ${ending.reason}.`,
      '',
      `Moved: ${moved}`,
      `Came back: ${returned ?? 'nobody can tell'}`,
      ...(waiting > 0 ? [`May wait in the destination yet: ${waiting}`] : []),
      '',
      waiting > 0
        ? 'What fails of those that wait comes back later, and counts for no run.'
        : 'There is nothing to do.',
    ].join('\n'),
  };
}

export type SendRunReport = (name: string, run: EndedRun) => Promise<void>;

/** @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html */
export function runReporter(client: SNSClient, TopicArn: string): SendRunReport {
  return async (name, run) => {
    const { subject: Subject, message: Message } = runReport(name, run);
    await client.send(new PublishCommand({ TopicArn, Subject, Message }));
  };
}

/** What was told under one name of one minute. */
interface WrittenMetric {
  readonly name: string;
  readonly atMs: number;
  readonly Sum: number;
  readonly Maximum: number;
  readonly lastReportedAtMs: number;
}

/** The function's own figures: those it tells CloudWatch, and reads there again. */
export interface OwnMetrics {
  readonly tell: WriteMetrics;
  readonly read: ReadMetrics;
}

/** What CloudWatch has not counted yet is missing there, and what another environment told is missing here. */
function merged(points: readonly MetricPoint[], own: readonly MetricPoint[]): readonly MetricPoint[] {
  const all = new Map<number, number>();
  for (const { atMs, value } of [...points, ...own]) all.set(atMs, Math.max(value, all.get(atMs) ?? value));
  return [...all].map(([atMs, value]) => ({ atMs, value })).toSorted((one, other) => one.atMs - other.atMs);
}

/**
 * CloudWatch tells of metrics some minutes late, and until then a stint that has ended would be unknown, and begun once more.
 * So an environment knows what it has told itself of late. It may be gone at any time, and that with it: then a canary may
 * be begun again before its outcome is known, at its own rate and by its own quota.
 */
export function ownMetrics(tell: WriteMetrics, read: ReadMetrics, nowMs: NowMs): OwnMetrics {
  let reported: readonly WrittenMetric[] = [];
  const note = (name: string, atMs: number, value: number): void => {
    const isOf = (it: WrittenMetric) => it.name === name && it.atMs === atMs;
    const { Sum, Maximum } = reported.find(isOf) ?? { Sum: 0, Maximum: value };
    const more = { name, atMs, Sum: Sum + value, Maximum: Math.max(Maximum, value), lastReportedAtMs: nowMs() };
    reported = [...reported.filter(it => !isOf(it)), more];
  };
  const ownOf = ({ namespace, name, statistic }: MetricQuery, fromMs: number, toMs: number): readonly MetricPoint[] => {
    if (namespace !== REDRIVE_METRICS.namespace) return [];
    const ofIt = reported.filter(it => it.name === name && it.atMs >= fromMs && it.atMs < toMs);
    return ofIt.map(it => ({ atMs: it.atMs, value: it[statistic] }));
  };
  return {
    tell: (atMs, metrics) => {
      tell(atMs, metrics);
      reported = reported.filter(({ lastReportedAtMs }) => nowMs() - lastReportedAtMs <= METRICS_LATE_MS);
      for (const [name, value] of Object.entries(metrics)) note(name, minuteOf(atMs), value);
    },
    read: async (figures, fromMs, toMs) => {
      const lists = await read(figures, fromMs, toMs);
      return figures.map((figure, index) => merged(lists[index] ?? [], ownOf(figure, fromMs, toMs)));
    },
  };
}
