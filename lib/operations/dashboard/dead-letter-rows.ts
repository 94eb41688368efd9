import { Color, type HorizontalAnnotation, type IAlarm, type IWidget, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { isDeadLetterQueue } from '../../queue/dead-letters/letters-of';
import { retentionSeconds } from '../../queue/processing/queue-facts';
import { band } from './band';
import { alarmLine, oldest, placeOf, sum, waiting } from './shown-metrics';

/** The metric of dead letters that arrive counts what is sent and not what SQS moves: of such a queue it tells nothing. */
function arrivals(queue: IQueue): Metric[] {
  const onlyMoved = isDeadLetterQueue(queue) && queue.waitingAlarm && !queue.arrivalsAlarm;
  return onlyMoved ? [] : [queue.metricNumberOfMessagesSent({ ...sum('sent here', Color.RED), ...placeOf(queue) })];
}

/** Where dead letters are gone. What SQS moved here is gone sooner, by the time it spent in its source. */
function expiryLine(queue: IQueue): HorizontalAnnotation[] {
  const value = retentionSeconds(queue);
  return value === undefined ? [] : [{ value, label: 'expired at the latest', color: Color.RED }];
}

/** The alarms of a dead-letter queue, if it is of a kind that has any. */
export function deadLetterAlarms(queue: IQueue): readonly IAlarm[] {
  return isDeadLetterQueue(queue) ? queue.alarms : [];
}

/** What is shown of a dead-letter queue. */
export function deadLetterQueueRows(queue: IQueue): IWidget[][] {
  const name = queue.queueName;
  const lines = [...(isDeadLetterQueue(queue) ? alarmLine(queue.ageAlarm) : []), ...expiryLine(queue)];
  return [
    band(name, deadLetterAlarms(queue), [
      { title: `${name}: dead letters`, left: [waiting(queue, 'waiting'), ...arrivals(queue)] },
      { title: `${name}: age of the oldest, seconds`, left: [oldest(queue, 'oldest')], lines },
    ]),
  ];
}
