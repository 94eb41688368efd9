import type { Io } from '../../../bin/shared/io';
import { type Column, plainJson, table, wrap } from '../../../bin/shared/terminal-text';
import { type Account, type PricedTemplate, withTemporaryStack } from '../temporary-stack';
import { type Finding, PROBES } from './ask';
import { ASSUMPTION_STACK_NAME } from './stack';

/** The side effects of asking AWS. Each step rejects when `signal` is aborted. */
export interface QuestionSteps {
  /** Synthesizes the stack of the probes. */
  template(): PricedTemplate;
  deploy(account: Account, signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  ask(account: Account, outputs: Readonly<Record<string, string>>, signal: AbortSignal): Promise<readonly Finding[]>;
  /** Cannot be interrupted. */
  destroy(account: Account): Promise<void>;
}

/** Describes what the questions do to an account, and what that costs. */
export function questionPlanText({ id, region, caller, profile }: Account, template: PricedTemplate): string {
  const types = Object.values(template.Resources).map(({ Type }) => Type);
  const [queues, topics] = ['AWS::SQS::Queue', 'AWS::SNS::Topic'].map(type => types.filter(it => it === type).length);
  return `Account ${id}, Region ${region}, as ${caller} (profile ${profile}).

1. Deploys the stack ${ASSUMPTION_STACK_NAME}: ${topics} topics, ${queues} queues, a function, a rule and an alarm.
   The account must be bootstrapped for the CDK.
2. Asks AWS ${PROBES.length} questions of docs/assumptions.md, all at once.
3. Destroys the stack, whatever happened. Some metrics stay in the namespace ${ASSUMPTION_STACK_NAME}
   until CloudWatch expires them, at no charge.

It takes about 15 minutes and costs less than 5 US cents: an alarm, eight metrics and some hundred requests.
`;
}

/** Deploys the stack, asks, prints what AWS did, and destroys the stack. @returns a sentence for each problem */
export function settleAssumptions(
  account: Account,
  steps: QuestionSteps,
  io: Io,
  json: boolean,
): Promise<readonly string[]> {
  return withTemporaryStack(ASSUMPTION_STACK_NAME, account, steps, io, async (outputs, signal, report) => {
    const findings = await steps.ask(account, outputs, signal);
    signal.throwIfAborted();
    io.stdout.write(json ? `${plainJson(findings)}\n` : findingsText(findings));
    report(findings.flatMap(failuresOf));
  });
}

function failuresOf({ id, failure, left }: Finding): readonly string[] {
  return [
    ...(failure === undefined ? [] : [`${id}: the probe failed: ${failure}`]),
    ...(left === undefined ? [] : [`${id}: something may be left behind: ${left}`]),
  ];
}

const CELL_WIDTH = 46;

interface Line {
  readonly id: string;
  readonly assumed: string;
  readonly did: string;
  readonly holds: string;
}

const COLUMNS: readonly Column<Line>[] = [
  { heading: 'ID', align: 'left', cell: ({ id }) => id },
  { heading: 'ASSUMED', align: 'left', cell: ({ assumed }) => assumed },
  { heading: 'AWS DID', align: 'left', cell: ({ did }) => did },
  { heading: 'HOLDS?', align: 'left', cell: ({ holds }) => holds },
];

/** The lines of a finding in the table: its question, then what is assumed next to what AWS did. */
function linesOf({ id, question, assumed, did = '-', holds }: Finding): readonly Line[] {
  const [left, right] = [wrap(assumed, CELL_WIDTH), wrap(did, CELL_WIDTH)];
  const verdict = holds === undefined ? 'unknown' : holds ? 'yes' : 'NO';
  const asked = wrap(question, CELL_WIDTH).map((assumed, i) => ({
    id: i === 0 ? id : '',
    assumed,
    did: '',
    holds: '',
  }));
  const answers = Array.from({ length: Math.max(left.length, right.length) }, (_, i) => ({
    id: '',
    assumed: left[i] ?? '',
    did: right[i] ?? '',
    holds: i === 0 ? verdict : '',
  }));
  return [...asked, ...answers];
}

/** Formats what was found as a table, with a summary. */
function findingsText(findings: readonly Finding[]): string {
  const [held, differ] = [true, false].map(verdict => findings.filter(({ holds }) => holds === verdict).length);
  const unknown = findings.filter(({ holds }) => holds === undefined).length;
  return [
    ...table(COLUMNS, findings.flatMap(linesOf)),
    '',
    `${held} assumptions hold, ${differ} do not, ${unknown} could not be asked.`,
    ...(differ ? ['Correct the rows in docs/assumptions.md and what their marks point at.'] : []),
    '',
  ].join('\n');
}
