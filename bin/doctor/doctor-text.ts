import { awsCommand, type Site } from '../../account/printed-commands';
import { type Finding, SEVERITIES, type Severity } from '../../diagnosis/checks/finding';
import { publishedCheck } from '../../lib/shared/published-runbook';
import { counted, formatNumber } from '../../policy/format-text';
import { foreignText, type Paint, wrap } from '../text';
import type { Examined } from './examine';

/** Longer than any that is not there to vex. */
const LONGEST_NAME = 300;
const LONGEST_SENTENCES = 2_000;

const HEADINGS: Readonly<Record<Severity, string>> = {
  rejected: 'AWS REJECTS',
  loses: 'LOSES MESSAGES',
  unwatched: 'NOBODY IS TOLD',
  note: 'TO KNOW',
};

const COUNTED: Readonly<Record<Severity, readonly [one: string, many: string]>> = {
  rejected: ['is rejected', 'are rejected'],
  loses: ['loses messages', 'lose messages'],
  unwatched: ['goes unwatched', 'go unwatched'],
  note: ['is to know', 'are to know'],
};

/** What it is printed on, and of which AWS it tells. */
export interface DoctorPage {
  readonly paint: Paint;
  readonly site: Site;
  /** Of prose. */
  readonly width: number;
}

/** Where it is: in a template its logical id and property, in an account its ARN. */
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
    `    ${paint.dim(`${id}: ${publishedCheck(id)}`)}`,
    '',
  ];
}

function summary(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Nothing was found.';
  const counts = SEVERITIES.flatMap(severity => {
    const count = findings.filter(it => it.severity === severity).length;
    const [one, many] = COUNTED[severity];
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  return `${counted(findings.length, 'finding', 'findings')}: ${counts.join(', ')}.`;
}

/** What is counted of what was looked at: one of them, and several. */
const LOOKED_AT = [
  ['topics', 'topic', 'topics'],
  ['subscriptions', 'subscription', 'subscriptions'],
  ['queues', 'queue', 'queues'],
  ['functions', 'function', 'functions'],
  ['targets', 'target of rules and schedules', 'targets of rules and schedules'],
  ['alarms', 'alarm', 'alarms'],
] as const;

/** What was looked at, by what it counts. */
function extent({ what, inventories }: Examined): string {
  const parts = LOOKED_AT.map(([kind, one, several]) => {
    const count = inventories.reduce((sum, inventory) => sum + inventory[kind].length, 0);
    return counted(count, one, several);
  });
  return `Looked at ${what}: ${parts.join(', ')}.`;
}

/** Findings, the worst first, and how many there are. */
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
