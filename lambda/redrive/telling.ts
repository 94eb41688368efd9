import { PublishCommand, type SNSClient } from '@aws-sdk/client-sns';
import type { RedriveRun, RunEnding } from '../../policy/redrive/redrive-decision';
import type { RedriveMetricName } from '../../policy/redrive/redrive-metrics';
import type { RedriveEvent } from './redrive-event';

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
