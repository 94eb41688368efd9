import { ownManifest } from '../../account/documents/own-package';
import { awsCommandLines, type Site } from '../../account/printed-commands';
import { CONSEQUENCES, type Finding, SEVERITIES, type Severity } from '../../diagnosis/checks/finding';
import { type FindingGroup, type GroupedFinding, groupFindings } from '../../diagnosis/checks/finding-groups';
import { publishedCheck } from '../../diagnosis/published-guides';
import { counted, formatNumber } from '../../policy/format-text';
import { foreignText, type Paint, wrap } from '../shared/terminal-text';
import type { Examined } from './examine';

/** Longer names and texts come only from hostile templates. */
const LONGEST_NAME = 300;
const LONGEST_SENTENCES = 2_000;

const HEADINGS: Readonly<Record<Severity, string>> = {
  rejected: 'AWS REFUSES',
  loses: 'LOSES MESSAGES',
  'at-risk': 'LOSES MESSAGES WHEN SOMETHING FAILS',
  'on-change': 'LOSES MESSAGES DURING A DEPLOYMENT',
  unwatched: 'DELAYS MESSAGES OR HIDES A LOSS',
  note: 'NOTES',
};

/** The format of the output, and the AWS that its commands are for. */
interface DoctorPage {
  readonly paint: Paint;
  readonly site: Site;
  /** The width of prose, in columns. */
  readonly width: number;
}

/** The place of a finding: logical id and property in a template, ARN in an account. */
export function whereText({ resource, location }: Finding): string {
  const { arn, place } = resource;
  if (!place) return arn;
  const id = `${place.logicalId} of ${place.stack}`;
  return location === undefined ? id : `${id}, ${location.replaceAll('/', '.')}`;
}

const INDENT = '    ';

function paragraph(text: string, width: number): string[] {
  return wrap(foreignText(text, LONGEST_SENTENCES), width - INDENT.length).map(line => `${INDENT}${line}`);
}

/** `Shop/Picking/Dead  Dead1234 of Shop`, and the other resources in which this finding differs. */
function resourceLine({ finding, others }: GroupedFinding, { paint }: DoctorPage): string {
  const name = foreignText(finding.resource.name, LONGEST_NAME);
  const named = others.length === 0 ? '' : `, with ${foreignText(others.join(', '), LONGEST_SENTENCES)}`;
  return `${paint.bold(name)}${named}  ${paint.dim(whereText(finding))}`;
}

/** A finding, or what several say and then a line for each of them, with its commands. */
function groupLines(group: FindingGroup, page: DoctorPage): string[] {
  const { id, says, fix, statement, findings } = group;
  const { paint, site, width } = page;
  const isOne = findings.length === 1;
  const listed = findings.flatMap(it => {
    const commands = awsCommandLines(it.finding.fix.calls ?? [], site).map(line => `      ${line}`);
    return isOne ? commands : [`    * ${resourceLine(it, page)}`, ...commands];
  });
  return [
    ...findings
      .slice(0, 1)
      .map(it => `  ${isOne ? resourceLine(it, page) : paint.bold(`${formatNumber(findings.length)} findings`)}`),
    ...paragraph(says, width),
    ...paragraph(`Fix: ${fix}`, width),
    ...(statement === undefined ? [] : [`      ${JSON.stringify(statement)}`]),
    ...(isOne ? listed : []),
    `    ${paint.dim(`${id}: ${publishedCheck(ownManifest(), id)}`)}`,
    ...(isOne ? [] : listed),
    '',
  ];
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
    const isUnsure = inventories.some(({ incomplete = [] }) => incomplete.includes(kind));
    return isUnsure ? `at least ${counted(count, one, several)}` : counted(count, one, several);
  });
  return `Checked ${what}: ${parts.join(', ')}.`;
}

/** How many findings have each consequence, and how many are left out. */
function summaryLines({ acknowledgedCount, baseline, unknowns }: Examined, findings: readonly Finding[]): string[] {
  const left: readonly (readonly [count: number, where: string])[] = [
    [acknowledgedCount, 'acknowledged'],
    [baseline?.known ?? 0, 'in the baseline'],
  ];
  const more = left.flatMap(([count, where]) =>
    count === 0 ? [] : [` ${formatNumber(count)} more ${count === 1 ? 'is' : 'are'} ${where}.`],
  );
  const isPartial = unknowns !== undefined && unknowns.texts.length > 0;
  if (findings.length === 0) return [`No findings${isPartial ? ' in what could be read' : ''}.${more.join('')}`];
  const counts = SEVERITIES.flatMap(severity => {
    const count = findings.filter(it => it.severity === severity).length;
    return count === 0 ? [] : [{ severity, count: formatNumber(count) }];
  });
  const wide = Math.max(...counts.map(({ count }) => count.length));
  return [
    `${counted(findings.length, 'finding', 'findings')}:${more.join('')}`,
    ...counts.map(
      ({ severity, count }) => `  ${count.padStart(wide)}  ${severity.padEnd(9)}  ${CONSEQUENCES[severity]}`,
    ),
  ];
}

/** What was examined, the counts by consequence, then the findings, worst first. */
export function doctorText(examined: Examined, findings: readonly Finding[], page: DoctorPage): string {
  const { paint } = page;
  const groups = SEVERITIES.flatMap(severity => {
    const some = findings.filter(it => it.severity === severity);
    if (some.length === 0) return [];
    const heading = severity === 'note' ? paint.bold(HEADINGS[severity]) : paint.red(HEADINGS[severity]);
    return ['', heading, '', ...groupFindings(some, examined.inventories).flatMap(it => groupLines(it, page))].slice(
      0,
      -1,
    );
  });
  return `${[extent(examined), '', ...summaryLines(examined, findings), ...groups].join('\n')}\n`;
}
