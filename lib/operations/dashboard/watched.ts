import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { DashboardSection, IWatched } from '../i-watched';
import { deadLetterAlarms } from './dead-letter-rows';

/** Each with all it is made of; one that is handed in and part of another counts once. */
function withParts(all: Iterable<IWatched>): IWatched[] {
  return [...new Set([...all].flatMap(it => [it, ...withParts(it.watchedParts ?? [])]))];
}

/** What a dashboard is to show. It is looked at as late as synthesis, when every delivery and every alarm is there. */
export class Watched {
  readonly handedIn = new Set<IWatched>();
  /** The alarms handed in by themselves. */
  readonly alarms = new Set<IAlarm>();
  /** The dead-letter queues handed in by themselves. */
  readonly deadLetterQueues = new Set<IQueue>();

  /** What was handed in, and what that is made of; each once. */
  get parts(): readonly IWatched[] {
    return withParts(this.handedIn);
  }

  /** Those that the parts bring, and then the others; each once. */
  get allDeadLetterQueues(): readonly IQueue[] {
    const all = [...this.parts.flatMap(part => part.deadLetterQueues), ...this.deadLetterQueues];
    return [...new Map(all.map(queue => [queue.queueArn, queue])).values()];
  }

  get allAlarms(): readonly IAlarm[] {
    const { parts, alarms } = this;
    return [
      ...new Set<IAlarm>([
        ...parts.flatMap(part => part.alarms),
        ...this.allDeadLetterQueues.flatMap(deadLetterAlarms),
        ...alarms,
      ]),
    ];
  }

  /** What each part shows of itself. */
  get sections(): readonly DashboardSection[] {
    return this.parts.map(part => part.dashboardSection());
  }

  get isEmpty(): boolean {
    const { handedIn, alarms, deadLetterQueues } = this;
    return [handedIn, alarms, deadLetterQueues].every(({ size }) => size === 0);
  }
}
