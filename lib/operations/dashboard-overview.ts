import { type IAlarm, type IMetric, type IWidget, SingleValueWidget, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { isQuarantine } from '../queue/dead-letter-alarms';
import { RunbookSection, runbookUrl } from '../shared/alarms';
import { alarmWidgets, deadLetterAlarms, deadLetterQueueRows, GRID_WIDTH, oldest, waiting } from './dashboard-rows';
import type { DashboardSection, IWatched } from './i-watched';

const INTRODUCTION = [
  '# What is dying, where, and since when',
  'What fires comes first, the latest first of all. `--` means that nothing was counted.',
].join('\n');

/** The number of alarm names that fit in one row of the grid, and the maximum height of one widget. */
const ALARMS_PER_LINE = 6;
const NUMBERS_PER_LINE = 3;
const TALLEST = 12;

function heightFor(count: number, perLine: number, linesHeight: number): number {
  return Math.min(TALLEST, 2 + linesHeight * Math.ceil(count / perLine));
}

function heading(markdown: string, height: number): IWidget[] {
  return [new TextWidget({ markdown, width: GRID_WIDTH, height })];
}

/**
 * A widget that shows metrics as numbers. With `overall` it sums them over the time shown; otherwise it shows the
 * latest values.
 */
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

/** The numbers to look at first: lost messages, dead letters, and the age of the oldest. */
function numberRows({ allDeadLetterQueues: dead }: Watched, sections: readonly DashboardSection[]): IWidget[][] {
  const lost = sections.flatMap(section => section.lost ?? []);
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

function deadLetterSection({ allDeadLetterQueues }: Watched): DashboardSection {
  return {
    title: 'Dead-letter queues',
    rows: allDeadLetterQueues.flatMap(deadLetterQueueRows),
    runbookSections: [
      RunbookSection.DEAD_LETTERS_ARRIVED,
      RunbookSection.DEAD_LETTERS_WAITING,
      RunbookSection.DEAD_LETTERS_AGEING,
      RunbookSection.DEAD_LETTERS_UNATTENDED,
      ...(allDeadLetterQueues.some(isQuarantine) ? [RunbookSection.DEAD_LETTERS_IN_QUARANTINE] : []),
    ],
  };
}

/** Sections with the same title, under one heading with one link to each runbook section. */
function sectionRows(url: string, sections: readonly DashboardSection[]): IWidget[][] {
  const titles = new Set(sections.filter(({ rows }) => rows.length > 0).map(({ title }) => title));
  return [...titles].flatMap(title => {
    const alike = sections.filter(section => section.title === title);
    const runbook = [...new Set(alike.flatMap(({ runbookSections = [] }) => runbookSections))];
    const text = runbook.length === 0 ? title : `${title}: ${links(url, runbook)}`;
    return [heading(`## ${text}`, 1), ...alike.flatMap(({ rows }) => rows)];
  });
}

function links(url: string, sections: readonly string[]): string {
  return sections.map(section => `[${section.replaceAll('-', ' ')}](${url}#${section})`).join(' | ');
}

/**
 * All rows of a dashboard, from top to bottom: alarms, numbers, dead-letter queues, and a section for each kind of
 * construct, in the order in which they were added.
 * @param scope the construct whose context may set the runbook URL
 */
export function dashboardRows(scope: IConstruct, watched: Watched): IWidget[][] {
  const url = runbookUrl(scope);
  const alarms = watched.allAlarms;
  const alarmHeight = heightFor(alarms.length, ALARMS_PER_LINE, 1);
  const { sections } = watched;
  return [
    heading(`${INTRODUCTION} What to do: [the runbook](${url}).`, 2),
    ...alarmWidgets('Alarms', alarms, GRID_WIDTH, alarmHeight).map(widget => [widget]),
    ...numberRows(watched, sections),
    ...sectionRows(url, [deadLetterSection(watched), ...sections]),
  ].filter(row => row.length > 0);
}

/** The constructs with all their parts, each once. */
function withParts(all: Iterable<IWatched>): IWatched[] {
  return [...new Set([...all].flatMap(it => [it, ...withParts(it.watchedParts ?? [])]))];
}

/** What a dashboard shows. It is evaluated at synthesis, when all deliveries and alarms exist. */
export class Watched {
  readonly handedIn = new Set<IWatched>();
  /** Alarms that were added one by one. */
  readonly alarms = new Set<IAlarm>();
  /** Dead-letter queues that were added one by one. */
  readonly deadLetterQueues = new Set<IQueue>();

  /** The constructs that were added, and their parts, each once. */
  get parts(): readonly IWatched[] {
    return withParts(this.handedIn);
  }

  /** The dead-letter queues of the parts, then those added one by one, each once. */
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

  /** Returns the dashboard section of each construct that the dashboard shows. */
  get sections(): readonly DashboardSection[] {
    return this.parts.map(part => part.dashboardSection());
  }

  get isEmpty(): boolean {
    const { handedIn, alarms, deadLetterQueues } = this;
    return [handedIn, alarms, deadLetterQueues].every(({ size }) => size === 0);
  }
}
