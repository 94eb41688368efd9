import { Command } from 'commander';
import { oneNamed } from '../../account/names';
import { findRelays, type Relay, relayState } from '../../account/relay/find-relays';
import { activityOf, destinationText, type RelayFacts, relayFacts, stateText } from '../../account/relay/relay-state';
import {
  executeRelaySwitch,
  type RelaySwitch,
  type RelaySwitchPlan,
  type SwitchChange,
  switchPlan,
} from '../../account/relay/switch-relay';
import { formatNumber } from '../../policy/format-text';
import { addConnectionOptions, type CommandContext, type CommandOptions, EXIT_CODES } from '../shared/command-line';
import { addChangeOptions, type ChangeOptions, type PlannedChange, planOrCarryOut } from '../shared/planned-change';
import { warn, writeJson } from '../shared/print';
import { type Column, listLines, type Screen, screenOf } from '../shared/terminal-text';
import { type AwsContext, withAws } from '../shared/with-aws';
import { relayDocument, showDocument, showText } from './relay-report';

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

const SWITCH_PERMISSIONS = `lambda:ListFunctions and lambda:ListEventSourceMappings; with --execute also
lambda:UpdateEventSourceMapping.`;

function switchHelp(action: RelaySwitch): string {
  return `${SWITCHES[action].help}
Without --execute, it only prints the plan. NAME as for dlo relay show.

  dlo relay ${action} Partner
  dlo relay ${action} Partner --execute`;
}

type RelayContext = AwsContext & Pick<CommandContext, 'nowMs'>;

/** `dlo relay`: shows the relays of a Region, and switches them. */
export function relayCommand(context: RelayContext): Command {
  const list = addConnectionOptions(new Command('ls'))
    .description('list every relay of the Region: its destination, breaker, messages and alarm')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', LIST_HELP)
    .action(async (options: CommandOptions) => listRelays(options, context));
  const show = addConnectionOptions(new Command('show'))
    .description('show one relay: its schedule, recent deliveries, last failure, and what to do')
    .argument('NAME', "its function's name, or a part of it")
    .option('--json', 'print it as JSON')
    .addHelpText('after', SHOW_HELP)
    .action(async (name: string, options: CommandOptions) => showRelay(name, options, context));
  const switches = (['stop', 'start'] as const).map(action => {
    const command = addConnectionOptions(new Command(action)).description(SWITCHES[action].does);
    return addChangeOptions(command, switchHelp(action), SWITCH_PERMISSIONS)
      .argument('NAME', "its function's name, or a part of it")
      .option('--json', 'print the plan as JSON')
      .action(async (name: string, options: ChangeOptions) => switchRelay(name, action, options, context));
  });
  const relay = new Command('relay');
  for (const command of [list, show, ...switches]) relay.addCommand(command);
  return relay;
}

/** `dlo relay ls`. */
async function listRelays(options: CommandOptions, context: RelayContext): Promise<void> {
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
async function showRelay(name: string, options: CommandOptions, context: RelayContext): Promise<void> {
  const { io } = context;
  const nowMs = context.nowMs();
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

/**
 * `dlo relay stop` and `dlo relay start`.
 * @throws BadInput when no relay has the name, or more than one
 */
async function switchRelay(
  name: string,
  action: RelaySwitch,
  options: ChangeOptions,
  context: RelayContext,
): Promise<void> {
  await withAws(options, context, async aws => {
    const { relays, warnings } = await findRelays(aws);
    warn(context.io, warnings);
    const relay = oneNamed(name, relays, 'relay', aws.region);
    const plan = switchPlan(relay, action);
    const work = async () => {
      await executeRelaySwitch(aws, relay, plan);
      return { document: {}, lines: ['Done. It takes Lambda up to a minute to apply it.'] };
    };
    const site = { options, region: aws.region };
    await planOrCarryOut({ ...plannedSwitch(relay, plan), work }, { aws, site }, options, context);
  });
}

function countText(count: number | undefined, { areUnknown }: RelayFacts['messages']): string {
  if (count !== undefined) return formatNumber(count);
  return areUnknown ? '?' : '-';
}

const COLUMNS: readonly Column<RelayFacts>[] = [
  { heading: 'RELAY', align: 'left', cell: ({ relay }) => relay.name },
  { heading: 'DELIVERS TO', align: 'left', cell: ({ relay }) => destinationText(relay) },
  { heading: 'BREAKER', align: 'left', cell: ({ relay }) => stateText(relay) },
  { heading: 'DUE', align: 'right', cell: ({ messages }) => countText(messages.visible, messages) },
  { heading: 'IN FLIGHT', align: 'right', cell: ({ messages }) => countText(messages.inFlight, messages) },
  { heading: 'DEAD', align: 'right', cell: ({ messages }) => countText(messages.dead, messages) },
  {
    heading: 'FAILURE ALARM',
    align: 'left',
    cell: ({ failureAlarm, areAlarmsUnknown }) => failureAlarm?.state ?? (areAlarmsUnknown ? '?' : 'none'),
  },
];

function needsAttention({ relay, failureAlarm, messages }: RelayFacts): boolean {
  const isHeld = !['closed', 'running', 'unknown'].includes(relayState(relay));
  return isHeld || failureAlarm?.state === 'ALARM' || (messages.dead ?? 0) > 0;
}

/** A table of relays. Those that need attention are highlighted. */
export function listText(facts: readonly RelayFacts[], region: string, screen: Screen): string {
  if (facts.length === 0) return `No relay is in ${region}.\n`;
  return `${listLines(COLUMNS, facts, screen, needsAttention).join('\n')}\n`;
}

function changeText({ enabled, maximumConcurrency }: SwitchChange): string {
  const switched = enabled ? 'enabled' : 'disabled';
  return maximumConcurrency === undefined ? switched : `${switched}, with a concurrency of ${maximumConcurrency}`;
}

/** The plan as a command prints it. */
function plannedSwitch(relay: Relay, plan: RelaySwitchPlan): Omit<PlannedChange, 'work'> {
  const { name } = relay;
  const { action, mapping, from, to, change, notes } = plan;
  const { enabled, maximumConcurrency = null } = change ?? {};
  const already = `${name} ${action === 'stop' ? 'is stopped by hand' : 'is running'} already`;
  return {
    words: ['relay', action, name],
    title: `${action === 'stop' ? 'Stop' : 'Start'} ${name}, which delivers to ${destinationText(relay)}.`,
    facts: [
      ['Breaker now', stateText(relay)],
      ['Mapping', ...(change ? [`${mapping.id} becomes ${changeText(change)}`] : [])],
    ],
    notes,
    change: { command: `relay ${action}`, resource: mapping.id, details: { relay: name, from, to } },
    document: {
      relay: name,
      action,
      from,
      to,
      mappingId: mapping.id,
      change: change ? { enabled, maximumConcurrency } : null,
    },
    nothing: change ? undefined : already,
  };
}
