import { Command, Option } from 'commander';
import { INVENTORY_READS, STACK_READS, TO_JUDGE_KEYS_AND_ROLES } from '../../account/permissions';
import { awsCommand, type Site } from '../../account/printed-commands';
import { type Finding, isAtLeastAsSevere, SEVERITIES, type Severity } from '../../diagnosis/checks/finding';
import { publishedCheck } from '../../diagnosis/published-guides';
import { counted, formatNumber } from '../../policy/format-text';
import { addConnectionOptions, type CommandContext } from '../shared/command-line';
import { type CommandPermissions, permissionsText } from '../shared/command-permissions';
import { findingDocument } from '../shared/json-documents';
import { ownManifest } from '../shared/own-package';
import { warn, writeJson } from '../shared/print';
import { folded, foreignText, type Paint, paintFor, proseWidth, wrap } from '../shared/terminal-text';
import { type DoctorOptions, type Examined, examine } from './examine';

/** For an account. */
export const DOCTOR_PERMISSIONS: CommandPermissions = {
  command: 'doctor',
  reads: INVENTORY_READS,
  more: [{ when: 'with --stack', actions: STACK_READS }, TO_JUDGE_KEYS_AND_ROLES],
};

const HELP = `
ASSEMBLY is the output folder of "cdk synth", usually cdk.out. Its templates are read, including stages and nested stacks,
and AWS is not called. Without ASSEMBLY, but with --profile, --region or --endpoint-url, the Region of the account is
read. Without any of them, it reads cdk.out if that is in this folder, else the account.

Severities: rejected (AWS refuses it), loses (messages are or will be lost), unwatched (no alarm reports the loss), note.
What a template does not contain, or a missing permission hides, is not checked. Each finding has an id, and a section
in docs/doctor.md. Findings that the app acknowledges for a stack or construct are left out and counted. Those
acknowledged for an app or a stage are too, if the plugin DeadLetterOfficeChecks has checked it.

  dlo doctor cdk.out --fail-on loses
  dlo doctor --region eu-central-1 --severity loses
  dlo doctor --profile ops --json | jq -r '.findings[] | [.id, .resource] | @tsv'

An assembly needs no permission. For an account:
${permissionsText(DOCTOR_PERMISSIONS)}

Exit codes: 0 success, whatever was found; 1 failure, or a finding of --fail-on; 2 bad input.`;

/** `dlo doctor`: finds what in an app's templates, or in an account, loses messages. */
export function doctorCommand(context: CommandContext): Command {
  return addConnectionOptions(new Command('doctor'))
    .description('find what loses messages: in a synthesized app, or in an account')
    .argument('[ASSEMBLY]', 'the folder of a cloud assembly (default: cdk.out, if it exists and no account is named)')
    .option('--stack <name>', 'only findings in this stack; the others are read too')
    .addOption(
      new Option('--severity <severity>', 'only findings of this severity or worse')
        .choices(SEVERITIES)
        .default('note'),
    )
    .addOption(
      new Option('--fail-on <severity>', 'exit with 1 if there is a finding of this severity or worse').choices(
        SEVERITIES,
      ),
    )
    .option('--json', 'print it as JSON')
    .addHelpText('after', HELP)
    .action(async (assembly: string | undefined, options: DoctorOptions) => runDoctor(assembly, options, context));
}

/**
 * `dlo doctor`.
 *
 * @throws BadInput when the assembly or the stack does not exist
 * @throws Error when there is a finding of the severity of `--fail-on`, or worse
 */
async function runDoctor(assembly: string | undefined, options: DoctorOptions, context: CommandContext): Promise<void> {
  const { io } = context;
  const { json = false, severity, failOn } = options;
  const examined = await examine(assembly, options, context);
  const findings = examined.findings.filter(it => isAtLeastAsSevere(it.severity, severity));
  warn(io, examined.unread);
  const site = { options, ...(examined.region !== undefined && { region: examined.region }) };
  if (json) writeJson(io, doctorDocument(examined, findings, site));
  else {
    const page = { site, paint: paintFor(io.stdout.isTTY), width: proseWidth(io.stdout) };
    io.stdout.write(folded(doctorText(examined, findings, page), io.stdout));
  }
  if (failOn === undefined) return;
  const failing = examined.findings.filter(it => isAtLeastAsSevere(it.severity, failOn));
  if (failing.length > 0)
    throw new Error(`${counted(failing.length, 'finding', 'findings')} of severity ${failOn} or worse`);
}

/** The JSON document. */
function doctorDocument(
  { what, region, acknowledgedCount, unread }: Examined,
  findings: readonly Finding[],
  site: Site,
) {
  return {
    examined: what,
    region: region ?? null,
    findings: findings.map(it => findingDocument(it, site)),
    acknowledgedCount,
    unread,
  };
}

/** Longer names and texts come only from hostile templates. */
const LONGEST_NAME = 300;
const LONGEST_SENTENCES = 2_000;

const HEADINGS: Readonly<Record<Severity, string>> = {
  rejected: 'AWS REFUSES',
  loses: 'LOSES MESSAGES',
  unwatched: 'NO ALARM REPORTS THE LOSS',
  note: 'NOTES',
};

const COUNTED: Readonly<Record<Severity, readonly [one: string, many: string]>> = {
  rejected: ['is rejected', 'are rejected'],
  loses: ['loses messages', 'lose messages'],
  unwatched: ['is unwatched', 'are unwatched'],
  note: ['is a note', 'are notes'],
};

/** The format of the output, and the AWS that its commands are for. */
interface DoctorPage {
  readonly paint: Paint;
  readonly site: Site;
  /** The width of prose, in columns. */
  readonly width: number;
}

/** The place of a finding: logical id and property in a template, ARN in an account. */
function whereText({ resource, location }: Finding): string {
  const { arn, place } = resource;
  if (!place) return arn;
  const id = `${place.logicalId} of ${place.stack}`;
  return location === undefined ? id : `${id}, ${location.replaceAll('/', '.')}`;
}

const INDENT = '    ';

function paragraph(text: string, width: number): string[] {
  return wrap(foreignText(text, LONGEST_SENTENCES), width - INDENT.length).map(line => `${INDENT}${line}`);
}

function findingLines(finding: Finding, { paint, site, width }: DoctorPage): string[] {
  const { id, says, resource, fix } = finding;
  const calls = (fix.calls ?? []).map(call => awsCommand(call, site));
  return [
    `  ${paint.bold(foreignText(resource.name, LONGEST_NAME))}  ${paint.dim(whereText(finding))}`,
    ...paragraph(says, width),
    ...paragraph(`Fix: ${fix.says}`, width),
    ...(fix.statement === undefined ? [] : [`      ${JSON.stringify(fix.statement)}`]),
    ...calls.map(call => `      ${call}`),
    `    ${paint.dim(`${id}: ${publishedCheck(ownManifest(), id)}`)}`,
    '',
  ];
}

function summary(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'No findings.';
  const counts = SEVERITIES.flatMap(severity => {
    const count = findings.filter(it => it.severity === severity).length;
    const [one, many] = COUNTED[severity];
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  return `${counted(findings.length, 'finding', 'findings')}: ${counts.join(', ')}.`;
}

/** The resources that are counted, with their singular and plural. */
const CHECKED = [
  ['topics', 'topic', 'topics'],
  ['subscriptions', 'subscription', 'subscriptions'],
  ['queues', 'queue', 'queues'],
  ['functions', 'function', 'functions'],
  ['targets', 'target of rules and schedules', 'targets of rules and schedules'],
  ['alarms', 'alarm', 'alarms'],
] as const;

/** How many resources were checked. */
function extent({ what, inventories }: Examined): string {
  const parts = CHECKED.map(([kind, one, several]) => {
    const count = inventories.reduce((sum, inventory) => sum + inventory[kind].length, 0);
    return counted(count, one, several);
  });
  return `Checked ${what}: ${parts.join(', ')}.`;
}

/** The findings, worst first, and their number. */
export function doctorText(examined: Examined, findings: readonly Finding[], page: DoctorPage): string {
  const { paint } = page;
  const groups = SEVERITIES.flatMap(severity => {
    const some = findings.filter(it => it.severity === severity);
    if (some.length === 0) return [];
    const heading = severity === 'note' ? paint.bold(HEADINGS[severity]) : paint.red(HEADINGS[severity]);
    return [heading, '', ...some.flatMap(it => findingLines(it, page))];
  });
  const { acknowledgedCount: count } = examined;
  const acknowledged = count === 0 ? '' : ` ${formatNumber(count)} more ${count === 1 ? 'is' : 'are'} acknowledged.`;
  return `${[extent(examined), '', ...groups, `${summary(findings)}${acknowledged}`].join('\n')}\n`;
}
