import { Command } from 'commander';
import type { Switch } from '../../account/relay/switch-relay';
import { addConnectionOptions, type ConnectionOptions, EXIT_CODES } from '../command-line';
import type { Io } from '../io';

/** What every command of relays is told. */
export interface RelayOptions extends ConnectionOptions {
  readonly json?: boolean;
}

const LIST_HELP = `
A relay is found by how its function is configured, whatever its name and tags. Where it delivers to is shown without
credentials; of a URL that is a secret, which secret.

  dlo relay ls --region eu-central-1
  dlo relay ls --json | jq -r '.relays[] | select(.state != "closed").name'

It takes the permissions lambda:ListFunctions, lambda:ListEventSourceMappings, sqs:GetQueueAttributes and
cloudwatch:DescribeAlarms.

${EXIT_CODES}`;

const SHOW_HELP = `
NAME is that of the relay's function, or a part of it that no other relay has.

  dlo relay show Partner
  dlo relay show Partner --profile ops --json | jq .lastFailure

It takes the permissions of dlo relay ls, and cloudwatch:GetMetricData and logs:FilterLogEvents.

${EXIT_CODES}`;

const SWITCHES: Readonly<Record<Switch, { readonly does: string; readonly help: string }>> = {
  stop: {
    does: 'have a relay deliver nothing until somebody starts it again',
    help: 'Its breaker, too, leaves it alone then. Nothing is lost, and no attempt is spent.',
  },
  start: {
    does: 'have a relay deliver again at its whole concurrency, whoever stopped it',
    help: 'A relay that its breaker stopped starts by itself, once its endpoint answers: this is for who cannot wait.',
  },
};

function switchHelp(action: Switch): string {
  return `
${SWITCHES[action].help}
Without --execute it says what it would do. NAME as for dlo relay show.

  dlo relay ${action} Partner
  dlo relay ${action} Partner --execute

It takes the permissions lambda:ListFunctions and lambda:ListEventSourceMappings; with --execute also
lambda:UpdateEventSourceMapping.

${EXIT_CODES}`;
}

/**
 * What a command does is loaded when it runs, and the SDK with it: other commands need neither.
 */
const work = () => import('./run-relay');

/**
 * `dlo relay`: how the relays of a Region stand, and a switch for each.
 *
 * @param nowMs @default - the clock on the wall
 */
export function relayCommand(io: Io, nowMs: () => number = Date.now): Command {
  const list = addConnectionOptions(new Command('ls'))
    .description('list every relay of the Region: where it delivers to, its breaker, its messages, its alarm')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', LIST_HELP)
    .action(async (options: RelayOptions) => (await work()).listRelays(options, io));
  const show = addConnectionOptions(new Command('show'))
    .description('show one relay: its schedule, what it has been doing, what failed last, and what to do')
    .argument('NAME', "its function's name, or a part of it")
    .option('--json', 'print it as JSON')
    .addHelpText('after', SHOW_HELP)
    .action(async (name: string, options: RelayOptions) => (await work()).showRelay(name, options, io, nowMs()));
  const switches = (['stop', 'start'] as const).map(action =>
    addConnectionOptions(new Command(action))
      .description(SWITCHES[action].does)
      .argument('NAME', "its function's name, or a part of it")
      .option('--execute', 'do it')
      .option('--json', 'print the plan as JSON')
      .addHelpText('after', switchHelp(action))
      .action(async (name: string, options: RelayOptions & { readonly execute?: boolean }) =>
        (await work()).switchRelay(name, { ...options, action }, io),
      ),
  );
  const relay = new Command('relay').description('what relays do, and why one does not; stop one, and start it');
  for (const command of [list, show, ...switches]) relay.addCommand(command);
  return relay;
}
