import { Color, type IAlarm, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { RedriveLane } from '../../redrive/redrive-lane';
import { redriveMetric } from '../../redrive/redrive-metrics';
import { RunbookSection } from '../../shared/alarms/runbook-section';
import type { DashboardSection } from '../i-watched';
import { band, type Graph } from './band';
import { sum, waiting } from './shown-metrics';

/** A redrive, as far as it is shown. */
interface ShownRedrive {
  readonly name: string;
  readonly handler: IFunction;
  readonly alarms: readonly IAlarm[];
  /** What it empties. */
  readonly deadLetters: IQueue;
}

const STATE_LABEL = 'state: 0 idle, 1 moving, 2 settling, 3 stopped (right)';

function redriveGraphs({ name, handler, deadLetters }: ShownRedrive): Graph[] {
  const state = { statistic: Stats.MAXIMUM, label: STATE_LABEL, color: Color.PURPLE };
  return [
    {
      title: `${name}: runs, and how it stands`,
      left: [
        redriveMetric(handler, 'RunsStarted', sum('begun')),
        redriveMetric(handler, 'RunsFinished', sum('ended well', Color.GREEN)),
        redriveMetric(handler, 'RunsStopped', sum('stopped for cause', Color.RED)),
      ],
      right: [redriveMetric(handler, 'RedriveState', state)],
    },
    {
      title: `${name}: messages`,
      left: [
        redriveMetric(handler, 'Moved', sum('moved', Color.GREEN)),
        redriveMetric(handler, 'Returned', sum('came back', Color.RED)),
      ],
      right: [waiting(deadLetters, 'dead letters (right)')],
    },
  ];
}

/** What a dashboard shows of a redrive, beside its dead-letter queue. */
export function redriveSection(redrive: ShownRedrive): DashboardSection {
  return {
    title: 'Redrives',
    rows: [band(redrive.name, redrive.alarms, redriveGraphs(redrive))],
    runbookSections: [
      RunbookSection.REDRIVE_STOPPED,
      RunbookSection.REDRIVE_FUNCTION_FAILING,
      RunbookSection.REDRIVE_FUNCTION_THROTTLED,
    ],
  };
}

/** What a dashboard shows of a lane, beside its queue and its quarantine. */
export function laneSection({ node: { path: name }, queue, quarantine }: RedriveLane): DashboardSection {
  const through: Graph = {
    title: `${name}: through the lane`,
    left: [
      queue.metricNumberOfMessagesSent(sum('came in')),
      queue.metricNumberOfMessagesDeleted(sum('done', Color.GREEN)),
    ],
  };
  const failed: Graph = { title: `${name}: failed again`, left: [waiting(quarantine, 'in quarantine')] };
  return {
    title: 'Redrive lanes',
    rows: [band(name, [], [through, failed])],
    runbookSections: [RunbookSection.DEAD_LETTERS_IN_QUARANTINE],
  };
}
