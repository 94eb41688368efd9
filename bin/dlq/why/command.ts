import { Command, InvalidArgumentError, Option } from 'commander';
import { INVENTORY_READS, QUEUE_NAMED_READS, TO_JUDGE_KEYS_AND_ROLES } from '../../../account/permissions';
import type { CommandContext } from '../../shared/command-line';
import { addConnectionOptions, EXIT_CODES } from '../../shared/command-line';
import { type CommandPermissions, permissionsText } from '../../shared/command-permissions';
import type { WhyOptions } from './run-why';

export const WHY_PERMISSIONS: CommandPermissions = {
  command: 'dlq why',
  reads: [...QUEUE_NAMED_READS, 'sqs:ReceiveMessage', 'sqs:ChangeMessageVisibility', ...INVENTORY_READS],
  more: [
    { when: 'to read logs and metrics', actions: ['logs:FilterLogEvents', 'cloudwatch:GetMetricData'] },
    TO_JUDGE_KEYS_AND_ROLES,
  ],
  keys: { reads: ['kms:Decrypt'] },
};

const HOUR_MS = 3_600_000;

/** A night and a day. */
const SINCE = '24h';

/** Received within seconds, and enough to include every frequent cause. */
const NUMBER = 1_000;

/** SQS keeps messages no longer. */
const MAX_DAYS = 14;

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: HOUR_MS, d: 24 * HOUR_MS };

const HELP = `
QUEUE is a name, ARN or URL. The messages are looked at as by dlo dlq peek, and given back. The cause comes from the source
that knows it: the queue SQS moved them from and the log of its consumer; the message itself, if Lambda, EventBridge,
EventBridge Scheduler or a relay wrote it; or the delivery-status log of the topic. Otherwise, the cause is inferred from the
current configuration. Each cause has a fix, as commands that can be copied.

  dlo dlq why orders-dlq
  dlo dlq why orders-dlq --since 7d -n 10000
  dlo dlq why orders-dlq --json | jq '.causes[].fix.calls'

It changes nothing. Without permissions for logs and metrics, it reports what it can, and what it could not read.

${permissionsText(WHY_PERMISSIONS)}

${EXIT_CODES}`;

function sinceOf(text: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit] ?? 0);
  if (ms > 0 && ms <= MAX_DAYS * 24 * HOUR_MS) return ms;
  throw new InvalidArgumentError(
    `It must be minutes, hours or days, at most ${MAX_DAYS}d, for example 90m, 24h or 7d.`,
  );
}

function numberOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
}

const work = () => import('./run-why');

/** `dlo dlq why`. */
export function whyCommand(world: CommandContext): Command {
  return addConnectionOptions(new Command('why'))
    .description('say why the messages of a queue were dead-lettered, since when, and what fixes it')
    .argument('QUEUE', 'its name, ARN or URL')
    .addOption(
      new Option('--since <time>', 'how far back logs and metrics are read')
        .default(sinceOf(SINCE), SINCE)
        .argParser(sinceOf),
    )
    .option('-n, --number <count>', 'how many messages to look at', numberOf, NUMBER)
    .option('--force', 'receive although that brings messages nearer to another dead-letter queue')
    .option('--json', 'print it as JSON')
    .addHelpText('after', HELP)
    .action(async (queue: string, options: WhyOptions) => (await work()).why(queue, options, world));
}
