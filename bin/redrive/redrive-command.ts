import { Command } from 'commander';
import type { Connection, ConnectionOptions } from '../../account/connection/connection';
import type { ServerClock } from '../../account/connection/server-clock';
import { oneNamed } from '../../account/names';
import { redriveReport } from '../../account/redrive/advice';
import { type FoundRedrives, findRedrives, hasSettings, type KnownRedrive } from '../../account/redrive/find-redrives';
import {
  askForRun,
  executeRedriveSwitch,
  isChange,
  keptText,
  prospectOf,
  type RedriveSwitch,
  switchPlan,
} from '../../account/redrive/operate-redrive';
import { factClients, lastRecords, lookAt } from '../../account/redrive/redrive-state';
import { AUDIT_HELP, type AuditOptions, addAuditOption, withAudit } from '../shared/audit';
import { addConnectionOptions, type CommandContext, EXIT_CODES } from '../shared/command-line';
import type { Io } from '../shared/io';
import { warn, writeJson } from '../shared/print';
import { screenOf } from '../shared/terminal-text';
import { type AwsContext, withAws } from '../shared/with-aws';
import { redriveDocument, showDocument } from './redrive-documents';
import { listText, showText } from './redrive-text';
import { askDocument, askText, switchDocument, switchText } from './switch-and-run-text';

const NAME = "the function's name, the name in its alarms, or a part of either";

const LIST_HELP = `
A redrive is found by the configuration of its function, not by its name and tags. Its state is decided here as its
function decides, from what AWS reports now.

  dlo redrive ls --region eu-central-1
  dlo redrive ls --json | jq -r '.redrives[] | select(.state == "stopped").name'

It needs the permissions lambda:ListFunctions, lambda:GetEventSourceMapping, sqs:GetQueueAttributes,
sqs:ListMessageMoveTasks, cloudwatch:DescribeAlarms, cloudwatch:DescribeAlarmHistory, cloudwatch:GetMetricData and
ssm:GetParameter. The first two of CloudWatch must be on *, because it omits composite alarms otherwise.

${EXIT_CODES}`;

const SHOW_HELP = `
NAME is the name of the redrive's function, the name in its alarms and records, or a part that no other redrive has.

  dlo redrive show Orders
  dlo redrive show Orders --profile ops --json | jq '.gates[] | select(.isShut)'

It needs the permissions of dlo redrive ls, and logs:FilterLogEvents.

${EXIT_CODES}`;

const STOP_HELP = `
Sets its switch, an SSM parameter, to off: no run starts, and a running move is cancelled within a minute or two.
Without --execute, it only prints the plan. NAME as for dlo redrive show.

  dlo redrive stop Orders
  dlo redrive stop Orders --execute

It needs the permissions lambda:ListFunctions and ssm:GetParameter; with --execute also ssm:PutParameter.
${AUDIT_HELP}

${EXIT_CODES}`;

const START_HELP = `
Sets its switch, an SSM parameter, to on. That alone starts no run: its schedule, a recovery or dlo redrive run does.
Without --execute, it only prints the plan. NAME as for dlo redrive show.

  dlo redrive start Orders
  dlo redrive start Orders --execute

It needs the permissions lambda:ListFunctions and ssm:GetParameter; with --execute also ssm:PutParameter.
${AUDIT_HELP}

${EXIT_CODES}`;

const RUN_HELP = `
The run begins with its canary, and keeps every precondition and budget. Without --execute, it only prints what would
start, or why not. With it, it exits with 1 if no run can start. NAME as for dlo redrive show.

  dlo redrive run Orders
  dlo redrive run Orders --execute

It needs the permissions of dlo redrive ls; with --execute also lambda:InvokeFunction.
${AUDIT_HELP}

${EXIT_CODES}`;

function ofOne(name: string, description: string, help: string): Command {
  return addConnectionOptions(new Command(name))
    .description(description)
    .argument('NAME', NAME)
    .option('--json', 'print it as JSON')
    .addHelpText('after', help);
}

function acting(name: string, description: string, help: string): Command {
  return addAuditOption(ofOne(name, description, help).option('--execute', 'do it'));
}

/**
 * `dlo redrive`: shows the redrives of a Region, switches them, and starts runs.
 *
 * @param nowMs @default - the system clock
 */
export function redriveCommand(io: Io, nowMs: () => number = Date.now, serverClock?: ServerClock): Command {
  const context = { io, ...(serverClock && { serverClock }) };
  const list = addConnectionOptions(new Command('ls'))
    .description('list every redrive of the Region: its state, waiting messages, switch and last run')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', LIST_HELP)
    .action(async (options: RedriveCommandOptions) => listRedrives(options, context, nowMs));
  const show = ofOne(
    'show',
    'show one redrive: its preconditions, moves, last records, and what to do',
    SHOW_HELP,
  ).action(async (name: string, options: RedriveCommandOptions) => showRedrive(name, options, context, nowMs));
  const stop = acting('stop', 'stop a redrive until it is started again', STOP_HELP).action(
    async (name: string, options: ActingOptions) => switchRedrive(name, 'stop', options, { ...context, nowMs }),
  );
  const start = acting('start', 'let a redrive continue at its next trigger', START_HELP).action(
    async (name: string, options: ActingOptions) => switchRedrive(name, 'start', options, { ...context, nowMs }),
  );
  const run = acting('run', 'start a run now, if all preconditions hold', RUN_HELP).action(
    async (name: string, options: ActingOptions) => runRedrive(name, options, context, nowMs),
  );
  const redrive = new Command('redrive');
  for (const command of [list, show, stop, start, run]) redrive.addCommand(command);
  return redrive;
}

interface Chosen extends FoundRedrives {
  readonly redrive: KnownRedrive;
}

async function choose(aws: Connection, name: string, io: Io): Promise<Chosen> {
  const found = await findRedrives(aws);
  const redrive = oneNamed(name, found.redrives, 'redrive', aws.region);
  warn(io, found.warnings);
  if (hasSettings(redrive)) return { ...found, redrive };
  throw new Error(`${redrive.name} was deployed by another version, whose settings this version cannot read`);
}

/** `dlo redrive ls`. */
async function listRedrives(options: RedriveCommandOptions, context: AwsContext, nowMs: () => number): Promise<void> {
  const { io } = context;
  await withAws(options, context, async aws => {
    const { redrives, warnings } = await findRedrives(aws);
    const clients = factClients(aws);
    const looks = await Promise.all(redrives.map(redrive => lookAt(clients, redrive, nowMs, aws.unread)));
    warn(io, [...warnings, ...looks.flatMap(look => look.warnings)]);
    if (options.json) writeJson(io, { region: aws.region, redrives: looks.map(redriveDocument) });
    else io.stdout.write(listText(looks, aws.region, screenOf(io.stdout)));
  });
}

/**
 * `dlo redrive show`.
 * @throws BadInput when no redrive has the name, or more than one
 */
async function showRedrive(
  name: string,
  options: RedriveCommandOptions,
  context: AwsContext,
  nowMs: () => number,
): Promise<void> {
  const { io } = context;
  await withAws(options, context, async aws => {
    const chosen = await choose(aws, name, io);
    const { redrive } = chosen;
    const look = await lookAt(factClients(aws), redrive, nowMs, aws.unread);
    const { seen, warnings } = look;
    if (!seen) {
      // Without its state, there is nothing more to show than in the list.
      if (options.json) writeJson(io, redriveDocument(look));
      else io.stdout.write(listText([look], aws.region, screenOf(io.stdout)));
      return;
    }
    warn(io, warnings);
    const site = { options, region: aws.region };
    const [whole, records] = await Promise.all([
      redriveReport(aws, site, seen, chosen, nowMs),
      lastRecords(aws, redrive, nowMs()),
    ]);
    if (options.json) writeJson(io, showDocument(whole, records));
    else io.stdout.write(showText(whole, records));
  });
}

/**
 * `dlo redrive stop` and `dlo redrive start`.
 * @throws BadInput when no redrive has the name, or more than one
 */
async function switchRedrive(
  name: string,
  action: RedriveSwitch,
  options: ActingOptions,
  context: AwsContext & Pick<CommandContext, 'nowMs'>,
): Promise<void> {
  const { io } = context;
  const { execute = false, json } = options;
  await withAws(options, context, async aws => {
    const { redrive, redrives } = await choose(aws, name, io);
    const plan = await switchPlan(aws, redrive, redrives, action);
    const { from, to } = plan;
    const resource = redrive.settings.switchParameter;
    const change = { command: `redrive ${action}`, resource, details: { redrive: redrive.name, from, to } };
    if (execute && isChange(plan))
      await withAudit(aws, options, context, change, () => executeRedriveSwitch(aws, plan));
    if (json) writeJson(io, switchDocument(plan, execute));
    else io.stdout.write(switchText(plan, execute, { options, region: aws.region }));
  });
}

/**
 * `dlo redrive run`.
 */
async function runRedrive(
  name: string,
  options: ActingOptions,
  context: AwsContext,
  nowMs: () => number,
): Promise<void> {
  const { io } = context;
  const { execute = false, json } = options;
  await withAws(options, context, async aws => {
    const { redrive } = await choose(aws, name, io);
    const { seen, warnings } = await lookAt(factClients(aws), redrive, nowMs);
    if (!seen) return;
    warn(io, warnings);
    const prospect = prospectOf(seen);
    if (execute && prospect === 'kept') throw new Error(keptText(seen));
    const change = { command: 'redrive run', resource: redrive.name, details: {} };
    if (execute && prospect === 'begins')
      await withAudit(aws, options, { io, nowMs }, change, () => askForRun(aws, seen));
    if (json) writeJson(io, askDocument(seen, execute));
    else io.stdout.write(askText(seen, execute, { options, region: aws.region }));
  });
}

interface RedriveCommandOptions extends ConnectionOptions {
  readonly json?: boolean;
}

interface ActingOptions extends RedriveCommandOptions, AuditOptions {
  readonly execute?: boolean;
}
