import { Command, InvalidArgumentError, Option } from 'commander';
import { INVENTORY_READS, QUEUE_NAMED_READS, TO_JUDGE_KEYS_AND_ROLES } from '../../../account/permissions';
import { addConnectionOptions, EXIT_CODES } from '../../command-line';
import { type CommandPermissions, permissionsText } from '../../permissions';
import type { DlqContext, DlqOptions } from '../command';

/** What `dlo dlq why` is told. */
export interface WhyOptions extends DlqOptions {
  /** How far back logs and metrics are read. */
  readonly since: number;
  /** How many letters are looked at. */
  readonly number: number;
  readonly force?: boolean;
}

export const WHY_PERMISSIONS: CommandPermissions = {
  command: 'dlq why',
  reads: [...QUEUE_NAMED_READS, 'sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', ...INVENTORY_READS],
  more: [
    { when: 'for what logs and metrics tell', actions: ['logs:FilterLogEvents', 'cloudwatch:GetMetricData'] },
    TO_JUDGE_KEYS_AND_ROLES,
  ],
  keys: { reads: ['kms:Decrypt'] },
};

const HOUR_MS = 3_600_000;

/** Our choice: a night and a day. */
const SINCE = '24h';

/** Our choice: so many are seen in seconds, and tell of all that is frequent. */
const NUMBER = 1_000;

/** Messages are kept for no longer. */
const MOST_DAYS = 14;

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: HOUR_MS, d: 24 * HOUR_MS };

const HELP = `
QUEUE is its name, ARN or URL. Letters are looked at as by dlo dlq peek, and given back. What they died of is told by
whoever knows: the queue SQS moved them from and the log of what reads it, the letter itself where Lambda, EventBridge,
Scheduler or a relay wrote it, the delivery-status log of the topic SNS brought it from; and where nobody does, how
things are configured now. Each cause comes with what mends it, as calls that can be made as they stand.

  dlo dlq why orders-dlq
  dlo dlq why orders-dlq --since 7d -n 10000
  dlo dlq why orders-dlq --json | jq '.causes[].fix.calls'

It changes nothing. Without the permissions for logs and metrics it tells what it can, and says what it could not read.

${permissionsText(WHY_PERMISSIONS)}

${EXIT_CODES}`;

function sinceOf(text: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit] ?? 0);
  if (ms > 0 && ms <= MOST_DAYS * 24 * HOUR_MS) return ms;
  throw new InvalidArgumentError(
    `It must be minutes, hours or days, at most ${MOST_DAYS}d, for example 90m, 24h or 7d.`,
  );
}

function numberOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
}

const work = () => import('./run-why');

/** `dlo dlq why`. */
export function whyCommand(world: DlqContext): Command {
  return addConnectionOptions(new Command('why'))
    .description('say why the letters of a queue died, since when, and what mends it')
    .argument('QUEUE', 'its name, ARN or URL')
    .addOption(
      new Option('--since <time>', 'how far back logs and metrics are read')
        .default(sinceOf(SINCE), SINCE)
        .argParser(sinceOf),
    )
    .option('-n, --number <count>', 'how many letters are looked at', numberOf, NUMBER)
    .option('--force', 'look although each look brings letters nearer to another dead-letter queue')
    .option('--json', 'print it as JSON')
    .addHelpText('after', HELP)
    .action(async (queue: string, options: WhyOptions) => (await work()).why(queue, options, world));
}
