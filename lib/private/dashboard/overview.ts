import { type IMetric, type IWidget, SingleValueWidget, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { IConstruct } from 'constructs';
import { RunbookSection } from '../alarms';
import { runbookUrl } from '../runbook-url';
import { alarmWidgets, GRID_WIDTH } from './band';
import { deadLetterQueueRows, functionRows, oldest, queueRows, topicRows, waiting } from './sections';
import type { Watched } from './watched';

const INTRODUCTION = [
  '# What is dying, where, and since when',
  'What fires comes first, the latest first of all. `--` means that nothing was counted.',
].join('\n');

/** What a person reads in one row of the grid, and how much of it one widget may take. */
const ALARMS_PER_LINE = 6;
const NUMBERS_PER_LINE = 3;
const TALLEST = 12;

function heightFor(count: number, perLine: number, linesHeight: number): number {
  return Math.min(TALLEST, 2 + linesHeight * Math.ceil(count / perLine));
}

function heading(markdown: string, height: number): IWidget[] {
  return [new TextWidget({ markdown, width: GRID_WIDTH, height })];
}

/** Metrics as numbers beside each other; `overall` adds up all of the time shown, otherwise the newest value counts. */
function numbers(
  title: string,
  metrics: readonly IMetric[],
  width: number,
  height: number,
  overall: boolean,
): IWidget[] {
  if (metrics.length === 0) return [];
  return [
    new SingleValueWidget({
      title,
      metrics: [...metrics],
      width,
      height,
      setPeriodToTimeRange: overall,
      sparkline: !overall,
    }),
  ];
}

/** The numbers one looks for first: what is lost, what is dead, and for how long. */
function numberRows({ topics, functions, allDeadLetterQueues }: Watched): IWidget[][] {
  const lost = [
    ...[...topics].map(topic => topic.metricNotificationsFailedToRedriveToDlq({ label: topic.topicName })),
    ...[...functions].map(it => it.metricLostEvents({ label: it.handler.functionName })),
  ];
  const dead = allDeadLetterQueues;
  const half = GRID_WIDTH / 2;
  const height = heightFor(dead.length, NUMBERS_PER_LINE, 2);
  return [
    numbers('Lost for good, all this time', lost, GRID_WIDTH, heightFor(lost.length, 2 * NUMBERS_PER_LINE, 2), true),
    [
      ...numbers(
        'Dead letters waiting',
        dead.map(it => waiting(it, it.queueName)),
        half,
        height,
        false,
      ),
      ...numbers(
        'Oldest dead letter, seconds',
        dead.map(it => oldest(it, it.queueName)),
        half,
        height,
        false,
      ),
    ],
  ];
}

/** One kind of construct: what it is called, where the runbook speaks of it, and what is shown of each. */
interface Section {
  readonly title: string;
  readonly runbook: readonly RunbookSection[];
  readonly rows: IWidget[][];
}

function sectionsOf({ topics, queues, functions, allDeadLetterQueues }: Watched): Section[] {
  return [
    {
      title: 'Topics',
      runbook: [
        RunbookSection.DEAD_LETTERS_LOST,
        RunbookSection.MESSAGES_NOT_KEPT,
        RunbookSection.TOPIC_LOSES_MESSAGES,
        RunbookSection.DELIVERIES_FAILING,
      ],
      rows: [...topics].flatMap(topicRows),
    },
    {
      title: 'Dead-letter queues',
      runbook: [
        RunbookSection.DEAD_LETTERS_ARRIVED,
        RunbookSection.DEAD_LETTERS_WAITING,
        RunbookSection.DEAD_LETTERS_AGEING,
        RunbookSection.DEAD_LETTERS_UNATTENDED,
      ],
      rows: allDeadLetterQueues.flatMap(deadLetterQueueRows),
    },
    {
      title: 'Queues',
      runbook: [RunbookSection.QUEUE_NOT_KEEPING_UP, RunbookSection.QUEUE_IN_FLIGHT_LIMIT],
      rows: [...queues].flatMap(queueRows),
    },
    {
      title: 'Functions',
      runbook: [
        RunbookSection.FUNCTION_EVENTS_DROPPED,
        RunbookSection.FUNCTION_DEAD_LETTERS_LOST,
        RunbookSection.FUNCTION_DESTINATION_FAILED,
        RunbookSection.FUNCTION_LOOP_STOPPED,
      ],
      rows: [...functions].flatMap(functionRows),
    },
  ];
}

function links(url: string, sections: readonly RunbookSection[]): string {
  return sections.map(section => `[${section.replaceAll('-', ' ')}](${url}#${section})`).join(' · ');
}

/**
 * The whole of a dashboard, from top to bottom: alarms, numbers, and a section for each kind of construct.
 * @param scope where the runbook's address is asked for
 */
export function dashboardRows(scope: IConstruct, watched: Watched): IWidget[][] {
  const url = runbookUrl(scope);
  const alarms = watched.allAlarms;
  const alarmHeight = heightFor(alarms.length, ALARMS_PER_LINE, 1);
  const sections = sectionsOf(watched).filter(({ rows }) => rows.length > 0);
  return [
    heading(`${INTRODUCTION} What to do: [the runbook](${url}).`, 2),
    ...alarmWidgets('Alarms', alarms, GRID_WIDTH, alarmHeight).map(widget => [widget]),
    ...numberRows(watched),
    ...sections.flatMap(({ title, runbook, rows }) => [heading(`## ${title}: ${links(url, runbook)}`, 1), ...rows]),
  ].filter(row => row.length > 0);
}
