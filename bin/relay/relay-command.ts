import { Command } from 'commander';
import type { ConnectionOptions } from '../../account/connection/connection';
import type { ServerClock } from '../../account/connection/server-clock';
import { oneNamed } from '../../account/names';
import { findRelays } from '../../account/relay/find-relays';
import { activityOf, relayFacts } from '../../account/relay/relay-state';
import { executeRelaySwitch, type RelaySwitch, switchPlan } from '../../account/relay/switch-relay';
import { AUDIT_HELP, type AuditOptions, addAuditOption, withAudit } from '../shared/audit';
import { addConnectionOptions, EXIT_CODES } from '../shared/command-line';
import type { Io } from '../shared/io';
import { warn, writeJson } from '../shared/print';
import { screenOf } from '../shared/terminal-text';
import { type AwsContext, withAws } from '../shared/with-aws';
import { relayDocument, showDocument, showText } from './relay-report';
import { listText, switchDocument, switchText } from './relay-text';

const LIST_HELP = `
A relay is found by the configuration of its function, not by its name and tags. Its destination is shown without
credentials. If its URL is a secret, the name of the secret is shown.

  dlo relay ls --region eu-central-1
  dlo relay ls --json | jq -r '.relays[] | select(.state != "closed").name'

It needs the permissions lambda:ListFunctions, lambda:ListEventSourceMappings, sqs:GetQueueAttributes and
cloudwatch:DescribeAlarms.

${EXIT_CODES}`;

const SHOW_HELP = `
NAME is the name of the relay's function, or a part of it that no other relay has.

  dlo relay show Partner
  dlo relay show Partner --profile ops --json | jq .lastFailure

It needs the permissions of dlo relay ls, and cloudwatch:GetMetricData and logs:FilterLogEvents.

${EXIT_CODES}`;

const SWITCHES: Readonly<Record<RelaySwitch, { readonly does: string; readonly help: string }>> = {
  stop: {
    does: 'stop a relay until it is started again',
    help: 'Its breaker does not start it again. No message is lost, and waiting uses up no delivery attempt.',
  },
  start: {
    does: 'start a relay at its full concurrency',
    help: 'A breaker starts its relay by itself once the endpoint answers. This starts it at once.',
  },
};

function switchHelp(action: RelaySwitch): string {
  return `
${SWITCHES[action].help}
Without --execute, it only prints the plan. NAME as for dlo relay show.

  dlo relay ${action} Partner
  dlo relay ${action} Partner --execute

It needs the permissions lambda:ListFunctions and lambda:ListEventSourceMappings; with --execute also
lambda:UpdateEventSourceMapping. ${AUDIT_HELP}

${EXIT_CODES}`;
}

/**
 * `dlo relay`: shows the relays of a Region, and switches them.
 *
 * @param nowMs @default - the system clock
 */
export function relayCommand(io: Io, nowMs: () => number = Date.now, serverClock?: ServerClock): Command {
  const context = { io, ...(serverClock && { serverClock }) };
  const list = addConnectionOptions(new Command('ls'))
    .description('list every relay of the Region: its destination, breaker, messages and alarm')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', LIST_HELP)
    .action(async (options: RelayOptions) => listRelays(options, context));
  const show = addConnectionOptions(new Command('show'))
    .description('show one relay: its schedule, recent deliveries, last failure, and what to do')
    .argument('NAME', "its function's name, or a part of it")
    .option('--json', 'print it as JSON')
    .addHelpText('after', SHOW_HELP)
    .action(async (name: string, options: RelayOptions) => showRelay(name, options, context, nowMs()));
  const switches = (['stop', 'start'] as const).map(action =>
    addAuditOption(addConnectionOptions(new Command(action)))
      .description(SWITCHES[action].does)
      .argument('NAME', "its function's name, or a part of it")
      .option('--execute', 'do it')
      .option('--json', 'print the plan as JSON')
      .addHelpText('after', switchHelp(action))
      .action(async (name: string, options: Omit<SwitchOptions, 'action'>) =>
        switchRelay(name, { ...options, action }, context, nowMs),
      ),
  );
  const relay = new Command('relay');
  for (const command of [list, show, ...switches]) relay.addCommand(command);
  return relay;
}

/** `dlo relay ls`. */
async function listRelays(options: RelayOptions, context: AwsContext): Promise<void> {
  const { io } = context;
  await withAws(options, context, async aws => {
    const { relays, warnings } = await findRelays(aws);
    const facts = await relayFacts(aws, relays);
    warn(io, warnings);
    if (options.json) writeJson(io, { region: aws.region, relays: facts.map(relayDocument) });
    else io.stdout.write(listText(facts, aws.region, screenOf(io.stdout)));
  });
}

/**
 * `dlo relay show`.
 * @throws BadInput when no relay has the name, or more than one
 */
async function showRelay(name: string, options: RelayOptions, context: AwsContext, nowMs: number): Promise<void> {
  const { io } = context;
  await withAws(options, context, async aws => {
    const { relays, warnings } = await findRelays(aws);
    warn(io, warnings);
    const relay = oneNamed(name, relays, 'relay', aws.region);
    const [[facts], activity] = await Promise.all([relayFacts(aws, [relay]), activityOf(aws, relay, nowMs)]);
    if (!facts) return;
    const site = { options, region: aws.region };
    if (options.json) writeJson(io, showDocument(facts, activity, site, nowMs));
    else io.stdout.write(showText(facts, activity, site, nowMs));
  });
}

interface SwitchOptions extends RelayOptions, AuditOptions {
  readonly action: RelaySwitch;
  readonly execute?: boolean;
}

/**
 * `dlo relay stop` and `dlo relay start`.
 * @throws BadInput when no relay has the name, or more than one
 */
async function switchRelay(
  name: string,
  options: SwitchOptions,
  context: AwsContext,
  nowMs: () => number,
): Promise<void> {
  const { io } = context;
  const { action, execute = false, json } = options;
  await withAws(options, context, async aws => {
    const { relays, warnings } = await findRelays(aws);
    warn(io, warnings);
    const relay = oneNamed(name, relays, 'relay', aws.region);
    const plan = switchPlan(relay, action);
    const { from, to, mapping } = plan;
    const change = { command: `relay ${action}`, resource: mapping.id, details: { relay: relay.name, from, to } };
    const work = () => executeRelaySwitch(aws, relay, plan);
    if (execute && plan.change) await withAudit(aws, options, { io, nowMs }, change, work);
    if (json) writeJson(io, switchDocument(relay, plan, execute));
    else io.stdout.write(switchText(relay, plan, execute, { options, region: aws.region }));
  });
}

export interface RelayOptions extends ConnectionOptions {
  readonly json?: boolean;
}
