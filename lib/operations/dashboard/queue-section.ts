import { Color, type IWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { IN_FLIGHT_MARKS } from '../../../policy/limits/queue-limits';
import type { ProcessingQueue } from '../../queue/processing-queue';
import { RunbookSection } from '../../shared/alarms/runbook-section';
import type { DashboardSection } from '../i-watched';
import { band } from './band';
import { alarmLine, oldest, waiting } from './shown-metrics';

/** What is shown of a queue and its consumer. */
function queueRows(queue: ProcessingQueue): IWidget[][] {
  const name = queue.queueName;
  const inFlight = queue.metricApproximateNumberOfMessagesNotVisible({ statistic: Stats.MAXIMUM, label: 'in flight' });
  const full = { value: IN_FLIGHT_MARKS.limit, label: 'gives out no more', color: Color.RED };
  return [
    band(name, queue.alarms, [
      { title: `${name}: messages`, left: [waiting(queue, 'waiting')] },
      { title: `${name}: in flight`, left: [inFlight], lines: [...alarmLine(queue.inFlightAlarm), full] },
      {
        title: `${name}: age of the oldest, seconds`,
        left: [oldest(queue, 'oldest')],
        lines: alarmLine(queue.ageAlarm),
      },
    ]),
  ];
}

/** What a dashboard shows of a queue. */
export function queueSection(queue: ProcessingQueue): DashboardSection {
  return {
    title: 'Queues',
    rows: queueRows(queue),
    runbookSections: [RunbookSection.QUEUE_NOT_KEEPING_UP, RunbookSection.QUEUE_IN_FLIGHT_LIMIT],
  };
}
