import { queueNameOf } from '../../../account/connection/queue-name';
import type { MoveFacts } from '../../../policy/redrive/redrive-facts';
import { formatNumber } from '../../../policy/wording';
import { type Column, table } from '../../table';
import { formatInstant } from '../../wording';
import { failureText } from './move-by-task';

/** How late SQS counts, in words: what is shown beside a task that runs. */
export const LAG_TEXT =
  'SQS tells how many have moved some seconds late, and to the letter only when the task is over.';

function movedText({ moved, toMove }: MoveFacts): string {
  return toMove === undefined ? formatNumber(moved) : `${formatNumber(moved)} of ${formatNumber(toMove)}`;
}

function rateText({ messagesPerSecond }: MoveFacts): string {
  return messagesPerSecond === undefined ? 'SQS chooses' : `${messagesPerSecond} a second`;
}

function toText({ destinationArn }: MoveFacts): string {
  return destinationArn === undefined ? 'where each came from' : queueNameOf(destinationArn);
}

const COLUMNS: readonly Column<MoveFacts>[] = [
  { heading: 'BEGAN', align: 'left', cell: ({ startedAtMs }) => formatInstant(startedAtMs) },
  { heading: 'STATUS', align: 'left', cell: ({ status }) => status },
  { heading: 'MOVED', align: 'right', cell: movedText },
  { heading: 'RATE', align: 'left', cell: rateText },
  { heading: 'TO', align: 'left', cell: toText },
  { heading: 'WHY', align: 'left', cell: ({ failureReason }) => (failureReason ? failureText(failureReason) : '') },
];

/** The tasks of a queue, a line each. */
export function tasksText(tasks: readonly MoveFacts[]): string {
  return `${table(COLUMNS, tasks).join('\n')}\n`;
}

/** One task in a line. */
export function taskText(task: MoveFacts): string {
  const { status, failureReason } = task;
  const why = failureReason === undefined ? '' : `: ${failureText(failureReason)}`;
  return `${status}, ${movedText(task)} moved to ${toText(task)} (${rateText(task)})${why}`;
}
