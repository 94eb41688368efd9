import { queueNameOf } from '../../account/connection/queue-name';
import { totalOf } from '../../policy/redrive/budget';
import { formatNumber } from '../../policy/wording';
import type { Paint } from '../paint';
import { type Column, table } from '../table';
import type { RedriveLook, RedriveView } from './look';
import { destinationText, runText, stateText } from './wording';

function column(
  heading: string,
  cell: (seen: RedriveView) => string,
  align: 'left' | 'right' = 'left',
): Column<RedriveLook> {
  return { heading, align, cell: ({ seen }) => (seen ? cell(seen) : '-') };
}

const COLUMNS: readonly Column<RedriveLook>[] = [
  { heading: 'REDRIVE', align: 'left', cell: ({ redrive }) => redrive.name },
  column('FROM', ({ redrive }) => queueNameOf(redrive.settings.deadLetters.arn)),
  column('TO', ({ redrive }) => destinationText(redrive.settings)),
  column('STATE', stateText),
  column(
    'LETTERS',
    ({ facts }) => (facts.deadLetters ? formatNumber(totalOf(facts.deadLetters)) : 'no queue'),
    'right',
  ),
  column('SWITCH', ({ facts }) => facts.killSwitch),
  column('LAST RUN', ({ byItself }) => runText(byItself.run)),
];

function needsSomebody({ seen }: RedriveLook): boolean {
  if (!seen) return true;
  const { facts, byItself } = seen;
  return byItself.state === 'stopped' || facts.killSwitch !== 'on' || facts.deadLetters === undefined;
}

/** A line a redrive; those that somebody should look at stand out. */
export function listText(looks: readonly RedriveLook[], region: string, paint: Paint): string {
  if (looks.length === 0) return `No redrive is in ${region}.\n`;
  const [heading = '', ...lines] = table(COLUMNS, looks);
  const painted = looks.map((look, index) => {
    const line = lines[index] ?? '';
    return needsSomebody(look) ? paint.yellow(line) : line;
  });
  return `${[paint.bold(heading), ...painted].join('\n')}\n`;
}
