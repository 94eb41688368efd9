import { Color, type IWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { FunctionFailures } from '../../function/function-failures';
import { RunbookSection } from '../../shared/alarms/runbook-section';
import type { DashboardSection } from '../i-watched';
import { band } from './band';
import { sum } from './shown-metrics';

/** What is shown of a function that is invoked asynchronously. */
function functionRows(failures: FunctionFailures): IWidget[][] {
  const { handler } = failures;
  const name = handler.functionName;
  const toDestination = failures.metricDestinationDeliveryFailures(sum('record not sent to destination', Color.ORANGE));
  const lost = failures.metricLostEvents(sum('not sent to the dead-letter queue', Color.RED));
  const hasAnother = failures.destinationFailuresAlarm && failures.deadLetterErrorsAlarm;
  const age = handler.metric('AsyncEventAge', { statistic: Stats.MAXIMUM, label: 'age of an event, ms (right)' });
  return [
    band(name, failures.alarms, [
      {
        title: `${name}: errors and throttles`,
        left: [handler.metricErrors(sum('errors', Color.ORANGE)), handler.metricThrottles(sum('throttles'))],
      },
      {
        title: `${name}: events given up`,
        left: [failures.metricAsyncEventsDropped(sum('given up', Color.PURPLE))],
        right: [age],
      },
      {
        title: `${name}: events lost`,
        left: [
          lost,
          ...(hasAnother ? [toDestination] : []),
          failures.metricRecursiveInvocationsDropped(sum('stopped in a loop', Color.BROWN)),
        ],
      },
    ]),
  ];
}

/** What a dashboard shows of a function. */
export function functionSection(failures: FunctionFailures): DashboardSection {
  return {
    title: 'Functions',
    rows: functionRows(failures),
    runbookSections: [
      RunbookSection.FUNCTION_EVENTS_DROPPED,
      RunbookSection.FUNCTION_DEAD_LETTERS_LOST,
      RunbookSection.FUNCTION_DESTINATION_FAILED,
      RunbookSection.FUNCTION_LOOP_STOPPED,
    ],
    lost: [failures.metricLostEvents({ label: failures.handler.functionName })],
  };
}
